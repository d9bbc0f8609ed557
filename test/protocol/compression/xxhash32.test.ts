import assert from 'node:assert/strict';
import { test } from 'node:test';
import { xxhash32 } from '../../../src/protocol/compression/xxhash32.ts';

test('the hash of known texts is the published one', () => {
  const known: Record<string, number> = {
    '': 0x02cc_5d05,
    a: 0x550d_7456,
    abc: 0x32d1_53ff,
    'Nobody inspects the spammish repetition': 0xe229_3b2f,
  };
  for (const [text, hash] of Object.entries(known)) {
    assert.equal(xxhash32(Buffer.from(text)), hash, text);
    assert.equal(xxhash32(Buffer.from(`<<${text}>`), 2, 2 + text.length), hash, text);
  }
});
