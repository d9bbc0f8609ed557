import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decode, ProtocolError } from '../../src/protocol/codec.ts';
import {
  decodeRequestHeader,
  decodeResponse,
  encodeRequest,
  encodeResponse,
  requestHeaderVersion,
  responseHeaderVersion,
} from '../../src/protocol/header.ts';
import { apiVersions } from '../../src/protocol/messages/18-api-versions.ts';
import { apiByKey, apis } from '../../src/protocol/messages/index.ts';
import type { Api } from '../../src/protocol/schema.ts';
import { readGolden } from '../golden.ts';

interface HeaderVersions {
  readonly apiKey: number;
  readonly name: string;
  readonly version: number;
  readonly requestHeader: number;
  readonly responseHeader: number;
}

const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex');
const apiOf = (key: number): Api => apiByKey(key) ?? assert.fail(`api ${key}`);

test('each version of each api has the header versions that Kafka uses', () => {
  const table = readGolden('vectors/header-versions.json.gz') as readonly HeaderVersions[];
  const ours = apis.flatMap((api) =>
    Array.from({ length: api.maxVersion - api.minVersion + 1 }, (_, index) => {
      const version = api.minVersion + index;
      const requestHeader = requestHeaderVersion(api, version);
      return { apiKey: api.key, name: api.name, version, requestHeader, responseHeader: responseHeaderVersion(api, version) };
    }),
  );
  assert.ok(table.length > 300);
  assert.deepEqual(ours, table);
});

test('a request header tells where the body starts, in the plain and in the flexible form', () => {
  const plain = decodeRequestHeader(hex('0003 0001 0000 0007 0003 6f6464 ffffffff'));
  assert.deepEqual(plain, { apiKey: 3, apiVersion: 1, correlationId: 7, clientId: 'odd', bodyOffset: 13 });
  const flexible = decodeRequestHeader(hex('0003 000c 0000 0007 0003 6f6464 00 01000000'));
  assert.deepEqual(flexible, { apiKey: 3, apiVersion: 12, correlationId: 7, clientId: 'odd', bodyOffset: 14 });
});

test('a client id may be null, of length -2, or invalid UTF-8', () => {
  assert.equal(decodeRequestHeader(hex('0003 0001 0000 0007 ffff')).clientId, null);
  assert.equal(decodeRequestHeader(hex('0003 0001 0000 0007 fffe')).clientId, null);
  assert.equal(decodeRequestHeader(hex('0003 0001 0000 0007 0002 fffe')).clientId, '\ufffd\ufffd');
});

test('unknown tags of a request header are kept', () => {
  const header = decodeRequestHeader(hex('0003 000c 0000 0005 0003 6f6464 01 2a 02 aabb 01000000'));
  assert.equal(header.bodyOffset, 18);
  assert.deepEqual(header.unknownTags, { count: 1, bytes: hex('2a02aabb') });
});

test('the header of a version that the api does not have is still read', () => {
  assert.equal(decodeRequestHeader(hex('0012 0063 0000 0001 0003 6f6464 00')).apiVersion, 99);
  assert.equal(decodeRequestHeader(hex('0012 ffff 0000 0001 0003 6f6464')).apiVersion, -1);
});

test('an api that does not exist, a removed one, and a cut header are protocol errors', () => {
  for (const frame of [
    '03e8 0000 0000 0001 ffff',
    '0004 0000 0000 0001 ffff',
    '',
    '00',
    '0003 0001 0000 0007',
    '0003 0001 0000 0007 0004 61',
  ]) {
    assert.throws(() => decodeRequestHeader(hex(frame)), ProtocolError, frame);
  }
});

test('an answer to ApiVersions has no tagged fields in its header, whatever its version', () => {
  const parts = encodeResponse(apiVersions, 3, 7, { apiKeys: [] });
  assert.deepEqual(parts, [hex('0000 000c 0000 0007 0000 01 00000000 00')]);
  assert.deepEqual(decodeResponse(apiVersions, 3, hex('0000 0007 0000 01 00000000 00')).response.apiKeys, []);
});

test('a request survives its way over the wire', () => {
  for (const key of [18, 60]) {
    const api = apiOf(key);
    const request =
      key === 18
        ? { clientSoftwareName: 'ottla', clientSoftwareVersion: '1' }
        : { includeClusterAuthorizedOperations: true, endpointType: 1, includeFencedBrokers: false };
    const bytes = encodeRequest(api, api.maxVersion, { correlationId: -3, clientId: null }, request);
    assert.equal(bytes.readInt32BE(), bytes.length - 4);
    const frame = bytes.subarray(4);
    const header = decodeRequestHeader(frame);
    assert.equal(header.correlationId, -3);
    assert.partialDeepStrictEqual(decode(api.request, api.maxVersion, frame.subarray(header.bodyOffset)), request);
  }
});

test('an answer to an unsupported version of ApiVersions is read as version 0, in which it is written', () => {
  const apiKeys = [{ apiKey: 18, minVersion: 0, maxVersion: 3 }];
  const parts = encodeResponse(apiVersions, 0, 7, { errorCode: 35, apiKeys });
  const frame = Buffer.concat(parts as Buffer[]).subarray(4);
  const { correlationId, response } = decodeResponse(apiVersions, 5, frame);
  assert.equal(correlationId, 7);
  assert.equal(response.errorCode, 35);
  assert.deepEqual(response.apiKeys, apiKeys);
});
