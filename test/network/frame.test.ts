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

  it('keeps nothing of what it is lent', () => {
    for (const size of [0, 5, 3_000, 15_000, 20_000, 300_000]) {
      const splitter = new FrameSplitter(MAX);
      const stream = Buffer.concat([framed(Buffer.alloc(size, 1)), framed(Buffer.alloc(size, 2)), framed(Buffer.alloc(size, 3))]);
      const cut = stream.length - Math.ceil(size / 2);
      for (const [start, end] of [
        [0, cut],
        [cut, stream.length],
      ]) {
        const chunk = Uint8Array.from(stream.subarray(start, end));
        splitter.push(chunk);
        chunk.fill(0xdb);
      }
      const frames = drain(splitter);
      assert.deepEqual(
        frames.map((frame) => [frame.length, frame.every((byte) => byte === frame[0])]),
        [1, 2, 3].map(() => [size, true]),
      );
    }
  });

  it('puts a frame where another one was given back', () => {
    const splitter = new FrameSplitter(MAX);
    const next = (size: number): Buffer => {
      splitter.push(framed(Buffer.alloc(size)));
      return splitter.next() ?? assert.fail('the frame is whole');
    };
    const [first, second] = [next(100_000), next(100_000)];
    assert.notEqual(first.buffer, second.buffer);
    splitter.giveBack(first);
    assert.throws(() => splitter.giveBack(first), /given back once/);
    const third = next(90_000);
    assert.ok(third.buffer === first.buffer && third.length === 90_000);
    // Small frames share memory with others, which is never given to a third one.
    const small = next(10_000);
    splitter.giveBack(small);
    assert.notEqual(next(10_000).buffer, small.buffer);
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
    const collect: () => void = runInNewContext('gc');
    // The memory of buffers is freed in the background of the first run, which the second one waits for.
    const gc = (): void => [collect, collect].forEach((run) => run());
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
