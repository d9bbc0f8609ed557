import assert from 'node:assert/strict';
import { test } from 'node:test';
import { constants, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import * as fc from 'fast-check';
import {
  CODECS,
  type Codec,
  codecOfId,
  compress,
  DecompressionError,
  decompress,
  idOfCodec,
} from '../../../src/protocol/compression/index.ts';
import { runDecompressor } from '../../../src/protocol/compression/wasm-kernels.ts';

const compressing = CODECS.filter((codec) => codec !== 'none');

const refusedWith =
  (errorName: DecompressionError['errorName']) =>
  (error: unknown): boolean =>
    error instanceof DecompressionError && error.errorName === errorName;

test('the ids of the codecs are Kafka’s', () => {
  assert.deepEqual(
    [0, 1, 2, 3, 4].map((id) => codecOfId(id)),
    ['none', 'gzip', 'snappy', 'lz4', 'zstd'],
  );
  assert.equal(codecOfId(5), undefined);
  assert.equal(idOfCodec('zstd'), 4);
});

test('any bytes come back from any codec, with a limit of exactly their number and not with less', () => {
  const chunk = fc.oneof(
    fc.uint8Array({ maxLength: 2000 }),
    fc.tuple(fc.nat(255), fc.nat(150_000)).map(([byte, count]) => new Uint8Array(count).fill(byte)),
    fc.tuple(fc.string({ minLength: 1, maxLength: 40 }), fc.nat(3000)).map(([text, times]) => Buffer.from(text.repeat(times))),
  );
  fc.assert(
    fc.property(fc.constantFrom(...CODECS), fc.array(chunk, { maxLength: 4 }), (codec, chunks) => {
      const bytes = Buffer.concat(chunks);
      const compressed = compress(codec, bytes);
      assert.ok(bytes.equals(decompress(codec, compressed, { maxBytes: bytes.length })));
      if (codec !== 'none' && bytes.length > 1) {
        assert.throws(() => decompress(codec, compressed, { maxBytes: bytes.length - 1 }), refusedWith('MESSAGE_TOO_LARGE'));
      }
    }),
    { numRuns: 300 },
  );
});

test('levels reach gzip and zstd, over all of the ranges that Kafka’s configs allow', () => {
  const text = Buffer.from(
    Array.from({ length: 4000 }, (_, index) => `{"id":${(index * 7919) % 10007},"name":"n${index % 37}"}`).join(''),
  );
  const sizeAt = (codec: Codec, level: number) => {
    const compressed = compress(codec, text, level);
    assert.ok(text.equals(decompress(codec, compressed, { maxBytes: text.length })));
    return compressed.length;
  };
  assert.ok(sizeAt('gzip', 9) < sizeAt('gzip', 1));
  assert.equal(sizeAt('gzip', -1), sizeAt('gzip', 6));
  assert.ok(sizeAt('zstd', 22) < sizeAt('zstd', 3));
  assert.ok(sizeAt('zstd', 3) < sizeAt('zstd', -131_072));
  assert.equal(sizeAt('lz4', 1), sizeAt('lz4', 17));
});

test('several gzip members and several zstd frames are one stream', () => {
  const [a, b] = [Buffer.from('first '), Buffer.from('second')];
  const both = (make: (bytes: Buffer) => Buffer) => Buffer.concat([make(a), make(b)]);
  assert.equal(String(decompress('gzip', both(gzipSync), { maxBytes: 12 })), 'first second');
  assert.equal(String(decompress('zstd', both(zstdCompressSync), { maxBytes: 12 })), 'first second');
  assert.throws(() => decompress('zstd', both(zstdCompressSync), { maxBytes: 11 }), refusedWith('MESSAGE_TOO_LARGE'));
});

test('lz4 frames have independent blocks of 64 KiB and no options, as Kafka writes them', () => {
  const frame = Buffer.from(compress('lz4', Buffer.alloc(200_000)));
  assert.equal(frame.subarray(0, 7).toString('hex'), '04224d18604082');
  let blocks = 0;
  let position = 7;
  while (frame.readUInt32LE(position) !== 0) {
    position += 4 + (frame.readUInt32LE(position) & 0x7fff_ffff);
    blocks += 1;
  }
  assert.equal(blocks, 4);
  assert.equal(position + 4, frame.length);
});

test('snappy has the framing of snappy-java with blocks of 32 KiB, and a raw block is read as well', () => {
  const framed = Buffer.from(compress('snappy', Buffer.alloc(70_000)));
  assert.equal(framed.subarray(0, 16).toString('hex'), '82534e41505059000000000100000001');
  const [first] = framedSizes(framed);
  assert.equal(framedSizes(framed).length, 3);
  const raw = framed.subarray(20, 20 + (first ?? 0));
  assert.equal(decompress('snappy', raw, { maxBytes: 32_768 }).length, 32_768);
});

function framedSizes(framed: Buffer): number[] {
  const sizes: number[] = [];
  for (let position = 16; position < framed.length; position += 4 + framed.readInt32BE(position))
    sizes.push(framed.readInt32BE(position));
  return sizes;
}

test('what is not compressed at all, or by another codec, is refused', () => {
  const inputs = [
    Buffer.from([0]),
    Buffer.from('plain text, nothing else'),
    deflateSync(Buffer.from('zlib')),
    Buffer.alloc(64, 0xff),
  ];
  for (const codec of compressing) {
    for (const input of [
      ...inputs,
      ...compressing.filter((other) => other !== codec).map((other) => compress(other, Buffer.alloc(99))),
    ]) {
      if (codec === 'snappy' && input.length === 1) continue;
      assert.throws(() => decompress(codec, input, { maxBytes: 1 << 20 }), refusedWith('INVALID_RECORD'), codec);
    }
  }
});

test('a bomb is refused without taking the memory it asks for', () => {
  const maxBytes = 1 << 20;
  const zeros = Buffer.alloc(256 * 1024 * 1024);
  // Each is the real thing: it would decompress to 256 MiB.
  const bombs: Record<string, readonly [Codec, Uint8Array]> = {
    gzip: ['gzip', gzipSync(zeros, { level: 1 })],
    zstd: ['zstd', zstdCompressSync(zeros, { params: { [constants.ZSTD_c_compressionLevel]: 1 } })],
    snappy: ['snappy', compress('snappy', zeros)],
    lz4: ['lz4', compress('lz4', zeros)],
    // And these only claim it.
    'snappy that states 4 GiB': ['snappy', Buffer.from('ffffffff0f00', 'hex')],
    'snappy that states 255 MiB': ['snappy', Buffer.from('80808078fe0100fe0100', 'hex')],
  };
  for (const [name, [codec, bytes]] of Object.entries(bombs)) {
    const before = process.memoryUsage.rss();
    for (let round = 0; round < 20; round++) {
      assert.throws(() => decompress(codec, bytes, { maxBytes }), refusedWith('MESSAGE_TOO_LARGE'), name);
    }
    const grown = process.memoryUsage.rss() - before;
    assert.ok(grown < 64 * 1024 * 1024, `${name}: grew by ${grown} bytes`);
  }
});

test('after a trap, which checks in front keep from happening, another instance does the work', () => {
  const bytes = Buffer.from('so it goes, '.repeat(20));
  for (let trap = 0; trap < 3; trap++) {
    assert.throws(() => runDecompressor('snappyDecompress', Buffer.from('05ff', 'hex')), refusedWith('INVALID_RECORD'));
    assert.throws(() => runDecompressor('lz4Decompress', Buffer.from('nothing like a frame')), refusedWith('INVALID_RECORD'));
    for (const codec of ['snappy', 'lz4'] as const) {
      assert.ok(bytes.equals(decompress(codec, compress(codec, bytes), { maxBytes: bytes.length })));
    }
  }
});

test('damaged bytes give other bytes within the limit or a refusal, never a trap or endless work', () => {
  const text = Buffer.from(Array.from({ length: 300 }, (_, index) => `record ${index % 17} of ${index}, `).join(''));
  let refused = 0;
  fc.assert(
    fc.property(
      fc.constantFrom(...compressing),
      fc.array(fc.record({ at: fc.nat(), value: fc.nat(255) }), { minLength: 1, maxLength: 5 }),
      fc.option(fc.nat(), { freq: 4 }),
      (codec, changes, cut) => {
        const whole = compress(codec, text);
        const damaged = Buffer.from(cut === null ? whole : whole.subarray(0, cut % whole.length));
        for (const { at, value } of changes) if (damaged.length > 0) damaged[at % damaged.length] = value;
        try {
          assert.ok(decompress(codec, damaged, { maxBytes: 100_000 }).length <= 100_000);
        } catch (error) {
          if (!(error instanceof DecompressionError)) throw error;
          assert.ok(!(error.cause instanceof Error && error.cause.name === 'RuntimeError'), 'a trap');
          refused += 1;
        }
      },
    ),
    { numRuns: 5000 },
  );
  assert.ok(refused > 1000, `only ${refused} were refused`);
});
