import { createRequire } from 'node:module';
import { DecompressionError } from './decompression-error.ts';

/** The lz4 and snappy kernels of @platformatic/wasm-utils: whole lz4 frames and raw snappy blocks, both ways. */
interface Kernels {
  lz4Compress(bytes: Uint8Array): Buffer;
  lz4Decompress(frame: Uint8Array): Buffer;
  snappyCompress(bytes: Uint8Array): Buffer;
  snappyDecompress(block: Uint8Array): Buffer;
}

/**
 * Two builds of the same kernels, each with an instance of its own. A trap leaves an instance with memory that nobody frees, so after one the other
 * takes its place. Input is proved well-formed before it gets here, so a trap is not something a peer can cause at will.
 */
const MODULES = ['@platformatic/wasm-utils', '@platformatic/wasm-utils/bundled'] as const;

let kernels: Kernels | undefined;
let modulesUsed = 0;

/** Loads WebAssembly at the first use, so that a start without snappy or lz4 does not pay for it. */
function load(): Kernels {
  kernels ??= createRequire(import.meta.url)(MODULES[modulesUsed % MODULES.length] as string) as Kernels;
  return kernels;
}

/** Runs one kernel; whatever it throws becomes a DecompressionError. */
export function runKernel(name: keyof Kernels, bytes: Uint8Array): Buffer {
  try {
    return load()[name](bytes);
  } catch (error) {
    kernels = undefined;
    modulesUsed += 1;
    throw new DecompressionError(`${name} failed on ${bytes.length} bytes`, 'INVALID_RECORD', { cause: error });
  }
}
