import type { DynamicLibrary } from 'node:ffi';
import { foreignFunctions } from './foreign-functions.ts';

/** The few functions of the C library that Node does not offer. */
export interface CLibrary {
  /** lockf(F_TLOCK): locks a whole file for this process, the way Java's FileChannel.tryLock does. False if another process has it. */
  tryLock(descriptor: number): boolean;
  /** SO_SNDBUF of a socket; those that a listening one accepts inherit it. The system may take more or less than is asked for. */
  setSendBuffer(socket: number, bytes: number): void;
  /**
   * sendfile(2): moves up to `length` bytes from a file into a socket inside the kernel. Gives the number moved, or -1 when nothing
   * could be moved; why is found out by sending the next bytes the ordinary way.
   */
  sendFile: ((socket: number, file: number, position: number, length: number) => number) | null;
  /** syncfs(2): makes the file system of a descriptor durable. False if something could not be written since it was opened. */
  syncFileSystem: ((descriptor: number) => boolean) | null;
}

const F_TLOCK = 2;
/** SOL_SOCKET and SO_SNDBUF. */
const sendBufferOption = process.platform === 'darwin' ? ([0xffff, 0x1001] as const) : ([1, 7] as const);

let loaded: CLibrary | null | undefined;

/** Null where there is no `node:ffi`, or no C library of the expected kind. */
export function cLibrary(): CLibrary | null {
  if (loaded === undefined) loaded = load();
  return loaded;
}

function load(): CLibrary | null {
  const ffi = foreignFunctions();
  if (ffi === null || (process.platform !== 'linux' && process.platform !== 'darwin')) return null;
  try {
    const { lib, functions } = ffi.dlopen(null, { lockf: { arguments: ['i32', 'i32', 'i64'], return: 'i32' } });
    return {
      setSendBuffer: loadSetSendBuffer(lib, ffi.getRawPointer),
      tryLock: (descriptor) => functions.lockf(descriptor, F_TLOCK, 0n) === 0,
      syncFileSystem: process.platform === 'linux' ? loadSyncFileSystem(lib) : null,
      // The function of this name on macOS takes other arguments.
      sendFile: process.platform === 'linux' ? loadSendFile(lib, ffi.getRawPointer) : null,
    };
  } catch {
    return null;
  }
}

function loadSyncFileSystem(lib: DynamicLibrary): CLibrary['syncFileSystem'] {
  const call = lib.getFunction('syncfs', { arguments: ['i32'], return: 'i32' });
  return (descriptor) => call(descriptor) === 0;
}

function loadSetSendBuffer(lib: DynamicLibrary, addressOf: (memory: Int32Array) => bigint): CLibrary['setSendBuffer'] {
  const call = lib.getFunction('setsockopt', { arguments: ['i32', 'i32', 'i32', 'pointer', 'u32'], return: 'i32' });
  const value = new Int32Array(1);
  const valueAddress = addressOf(value);
  const [level, option] = sendBufferOption;
  return (socket, bytes) => {
    value[0] = bytes;
    call(socket, level, option, valueAddress, value.byteLength);
  };
}

function loadSendFile(lib: DynamicLibrary, addressOf: (memory: BigInt64Array) => bigint): CLibrary['sendFile'] {
  const call = lib.getFunction('sendfile', { arguments: ['i32', 'i32', 'pointer', 'u64'], return: 'i64' });
  const offset = new BigInt64Array(1);
  const offsetAddress = addressOf(offset);
  return (socket, file, position, length) => {
    offset[0] = BigInt(position);
    return Number(call(socket, file, offsetAddress, BigInt(length)));
  };
}
