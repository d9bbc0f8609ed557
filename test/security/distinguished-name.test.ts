import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { X509Certificate } from 'node:crypto';
import * as fc from 'fast-check';
import { CertificateError, distinguishedName, subjectName } from '../../src/security/distinguished-name.ts';

const golden = (name: string): string => readFileSync(new URL(`../golden/tls/${name}`, import.meta.url), 'utf8');
const certificate = new X509Certificate(golden('certificate.pem')).raw;

test('names are written as Java writes them', () => {
  const names = JSON.parse(golden('distinguished-names.json')) as [hex: string, text: string][];
  assert.ok(names.length > 30);
  for (const [hex, text] of names) assert.equal(distinguishedName(Buffer.from(hex, 'hex')), text, hex);
});

test('the subject of a certificate is found', () => {
  assert.equal(subjectName(certificate), 'CN=localhost');
});

test('bytes that are no certificate are told to be none', () => {
  assert.throws(() => subjectName(Buffer.alloc(0)), CertificateError);
  fc.assert(
    fc.property(fc.nat(certificate.length - 1), fc.nat(255), fc.nat(certificate.length), (at, byte, length) => {
      const bytes = Buffer.from(certificate);
      bytes[at] = byte;
      try {
        subjectName(bytes.subarray(0, length));
      } catch (error) {
        assert.ok(error instanceof CertificateError);
      }
    }),
  );
});
