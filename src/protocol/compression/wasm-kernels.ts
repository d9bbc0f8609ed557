import { createRequire } from 'node:module';
import { assert } from '../../base/assert.ts';
import { DecompressionError } from './decompression-error.ts';

/** The lz4 and snappy kernels of @platformatic/wasm-utils: whole lz4 frames and raw snappy blocks, both ways. */
interface Kernels {
  lz4Compress(bytes: Uint8Array): Buffer;
  lz4Decompress(frame: Uint8Array): Buffer;
  snappyCompress(bytes: Uint8Array): Buffer;
  snappyDecompress(block: Uint8Array): Buffer;
}

const require = createRequire(import.meta.url);

/**
 * Two builds of the same kernels, each with an instance of its own. A trap leaves an instance with memory that nobody frees, so after one the other
 * takes its place. Input is proved well-formed before it gets here, so a trap is not something a peer can cause at will.
 */
const builds: readonly (() => Kernels)[] = [
  () => require('@platformatic/wasm-utils') as Kernels,
  () => require('@platformatic/wasm-utils/bundled') as Kernels,
];

let kernels: Kernels | undefined;
let traps = 0;

/** Loads WebAssembly at the first use, so that a start without snappy or lz4 does not pay for it. */
function load(): Kernels {
  const build = builds[traps % builds.length];
  assert(build !== undefined, 'there is a build of the kernels');
  kernels ??= build();
  return kernels;
}

export function runCompressor(name: 'lz4Compress' | 'snappyCompress', bytes: Uint8Array): Buffer {
  return run(load(), name, bytes);
}

/** Throws DecompressionError for input that the kernel does not take. */
export function runDecompressor(name: 'lz4Decompress' | 'snappyDecompress', bytes: Uint8Array): Buffer {
  const loaded = load();
  try {
    return run(loaded, name, bytes);
  } catch (error) {
    throw new DecompressionError(`${name} failed on ${bytes.length} bytes`, 'INVALID_RECORD', { cause: error });
  }
}

function run(loaded: Kernels, name: keyof Kernels, bytes: Uint8Array): Buffer {
  try {
    return loaded[name](bytes);
  } catch (error) {
    kernels = undefined;
    traps += 1;
    throw error;
  }
}
