import assert from 'node:assert/strict';
import { test } from 'node:test';
import { javaAddress } from '../../src/base/java-address.ts';

test('An address is written as Java writes it', () => {
  const written = {
    '127.0.0.1': '127.0.0.1',
    '::ffff:10.0.0.7': '10.0.0.7',
    '::1': '0:0:0:0:0:0:0:1',
    '::': '0:0:0:0:0:0:0:0',
    'fe80::1%eth0': 'fe80:0:0:0:0:0:0:1%eth0',
    '2001:db8::8a2e:0370:7334': '2001:db8:0:0:0:8a2e:370:7334',
    '1:2:3:4:5:6:7:8': '1:2:3:4:5:6:7:8',
    '1::': '1:0:0:0:0:0:0:0',
    'host.example': 'host.example',
  };
  for (const [address, expected] of Object.entries(written)) assert.equal(javaAddress(address), expected, address);
});
