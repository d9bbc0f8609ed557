import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import * as fc from 'fast-check';
import { FrameSplitter } from '../../src/network/frame.ts';
import { ProtocolError } from '../../src/protocol/protocol-error.ts';

const MAX = 100 * 1024 * 1024;

function framed(content: Uint8Array): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(content.byteLength);
  return Buffer.concat([length, content]);
}

function drain(splitter: FrameSplitter): Buffer[] {
  const frames: Buffer[] = [];
  for (let frame = splitter.next(); frame !== null; frame = splitter.next()) frames.push(Buffer.from(frame));
  return frames;
}

describe('the frame splitter', () => {
  it('gives the frames that were sent, however the bytes were cut', () => {
    const sizes = fc.oneof(fc.nat(20), fc.nat(3_000), fc.nat(400_000));
    const cuts = fc.oneof(
      fc.integer({ min: 1, max: 8 }),
      fc.integer({ min: 1, max: 1_100 }),
      fc.integer({ min: 1, max: 70_000 }),
    );
    const input = fc.record({
      frames: fc.array(sizes, { maxLength: 6 }),
      cuts: fc.array(cuts, { minLength: 1, maxLength: 40 }),
      isPulledLate: fc.boolean(),
    });
    fc.assert(
      fc.property(input, ({ frames, cuts: steps, isPulledLate }) => {
        const contents = frames.map((size, at) => Buffer.alloc(size, at * 37 + 1));
        for (const content of contents) for (let at = 0; at < content.length; at += 97) content[at] = at & 0xff;
        const stream = Buffer.concat(contents.map(framed));
        const splitter = new FrameSplitter(MAX);
        const received: Buffer[] = [];
        for (let at = 0, step = 0; at < stream.length; step++) {
          const cut = steps[step % steps.length] ?? 1;
          // Memory of its own for each chunk, as a socket gives it.
          splitter.push(Uint8Array.from(stream.subarray(at, at + cut)));
          at += cut;
          if (!isPulledLate) received.push(...drain(splitter));
        }
        received.push(...drain(splitter));
        assert.equal(received.length, contents.length);
        received.forEach((frame, at) => assert.ok(frame.equals(contents[at] ?? Buffer.alloc(0)), `frame ${at}`));
        assert.equal(splitter.bufferedBytes, 0);
      }),
      { numRuns: 200 },
    );
  });

  it('gives a view of a frame that came in one chunk', () => {
    const chunk = Buffer.concat([framed(Buffer.from('first')), framed(Buffer.from('second'))]);
    const splitter = new FrameSplitter(MAX);
    splitter.push(chunk);
    const [first, second] = [splitter.next(), splitter.next()];
    assert.deepEqual([first?.toString(), second?.toString()], ['first', 'second']);
    assert.equal(first?.buffer, chunk.buffer);
    assert.equal(second?.buffer, chunk.buffer);
    assert.equal(splitter.next(), null);
  });

  it('refuses lengths that are negative or too large, and no others', () => {
    for (const length of [-1, -(2 ** 31), MAX + 1, 2 ** 31 - 1]) {
      const splitter = new FrameSplitter(MAX);
      const bytes = Buffer.alloc(4);
      bytes.writeInt32BE(length);
      splitter.push(bytes);
      assert.throws(() => splitter.next(), ProtocolError);
    }
    const splitter = new FrameSplitter(MAX);
    splitter.push(Buffer.from('06400000', 'hex'));
    assert.equal(splitter.next(), null);
    const empty = new FrameSplitter(0);
    empty.push(Buffer.alloc(4));
    assert.equal(empty.next()?.length, 0);
  });

  it('never holds more than twice the bytes that came, however they come', () => {
    setFlagsFromString('--expose-gc');
    const gc: () => void = runInNewContext('gc');
    for (const size of [1, 50, 1_460, 65_536]) {
      gc();
      const before = process.memoryUsage();
      const splitter = new FrameSplitter(MAX);
      splitter.push(Buffer.from('06400000', 'hex'));
      let sent = 0;
      for (; sent < 8_000_000; sent += size) {
        splitter.push(new Uint8Array(size));
        if (splitter.next() !== null) assert.fail('the frame is not complete');
      }
      gc();
      const after = process.memoryUsage();
      const grown = after.arrayBuffers - before.arrayBuffers + Math.max(0, after.heapUsed - before.heapUsed);
      assert.ok(grown < 2 * sent + 3_000_000, `${grown} for ${sent} in pieces of ${size}`);
      assert.equal(splitter.bufferedBytes, sent);
    }
  });
});
