import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeWithRest } from '../../src/protocol/codec.ts';
import { decodeRequestHeader, decodeResponse, encodeRequest, encodeResponse } from '../../src/protocol/header.ts';
import { apiByKey } from '../../src/protocol/messages/index.ts';
import type { Api } from '../../src/protocol/schema.ts';
import { readGoldenLines } from '../golden-lines.ts';

interface Frame {
  readonly client: string;
  readonly node?: number;
  readonly c: number;
  readonly dir?: '>' | '<';
  readonly apiKey: number;
  readonly version: number;
  readonly correlationId: number;
  readonly hex: string;
}

const frames = (readGoldenLines('vectors/conversations.jsonl.gz') as Frame[]).filter(({ dir }) => dir !== undefined);
const apiOf = (key: number): Api => apiByKey(key) ?? assert.fail(`api ${key}`);

function checkRequest({ apiKey, version, correlationId, hex }: Frame): void {
  const bytes = Buffer.from(hex, 'hex');
  const header = decodeRequestHeader(bytes);
  assert.deepEqual([header.apiKey, header.apiVersion, header.correlationId], [apiKey, version, correlationId]);
  const api = apiOf(apiKey);
  const { value, rest } = decodeWithRest(api.request, version, bytes.subarray(header.bodyOffset));
  assert.equal(rest, 0);
  const again = encodeRequest(api, version, header, value);
  assert.equal(again.readInt32BE(), bytes.length);
  assert.equal(again.subarray(4).toString('hex'), hex);
}

function checkResponse(frame: Frame, asked: Frame): void {
  const api = apiOf(asked.apiKey);
  const bytes = Buffer.from(frame.hex, 'hex');
  const { correlationId, response } = decodeResponse(api, asked.version, bytes);
  assert.equal(correlationId, asked.correlationId);
  const again = Buffer.concat(encodeResponse(api, asked.version, correlationId, response) as Uint8Array[]);
  assert.equal(again.readInt32BE(), bytes.length);
  assert.equal(again.subarray(4).toString('hex'), frame.hex);
}

test('the 2277 recorded frames of 24 clients and brokers decode, and encode to the same bytes', () => {
  const asked = new Map<string, Frame>();
  let answers = 0;
  for (const frame of frames) {
    const correlationId = frame.dir === '>' ? frame.correlationId : Buffer.from(frame.hex, 'hex').readInt32BE();
    const exchange = [frame.client, frame.node, frame.c, correlationId].join(' ');
    const request = asked.get(exchange);
    try {
      if (frame.dir === '>') {
        asked.set(exchange, frame);
        checkRequest(frame);
      } else {
        assert.ok(request, 'an answer belongs to a request');
        checkResponse(frame, request);
        answers++;
      }
    } catch (error) {
      throw new Error(`${exchange} ${frame.dir} ${frame.apiKey} v${frame.version} ${frame.hex}`, { cause: error });
    }
  }
  assert.equal(frames.length, 2277);
  assert.ok(answers > 1000);
});
