import { assert } from '../base/assert.ts';
import { DiskError } from '../base/disk.ts';
import type { FileRegion } from '../base/disk.ts';
import { cLibrary } from './native/c-library.ts';
import type { CLibrary } from './native/c-library.ts';

/** Bytes moved by one call; the event loop is ours meanwhile. */
const BYTES_PER_CALL = 1024 * 1024;

/** How file bytes left this process: tests and metrics show by it that records are not copied through it. */
export const fileSenderTotals = { bytesByKernel: 0, bytesRead: 0, reads: 0 };

/** The file ended before the region did: somebody truncated it. The disk is well, but what was promised cannot be sent. */
export class RegionCutError extends Error {
  override readonly name = 'RegionCutError';
}

/** A region and how much of it has been sent. Releases it exactly once. */
export class RegionProgress {
  readonly #region: FileRegion;
  #sent = 0;
  #isReleased = false;

  constructor(region: FileRegion) {
    this.#region = region;
  }

  get length(): number {
    return this.#region.length;
  }

  get left(): number {
    return this.#region.length - this.#sent;
  }

  /** Whether the kernel can move the bytes of this file by itself. */
  get isSendable(): boolean {
    return this.#region.file.descriptor !== null && sendFile() !== null;
  }

  /** Reads the next bytes, as many as `target` holds or are left. Throws DiskError (already told to the region) or RegionCutError. */
  read(target: Uint8Array): Uint8Array {
    const wanted = target.subarray(0, Math.min(target.byteLength, this.left));
    const { file, position } = this.#region;
    try {
      const count = file.read(wanted, position + this.#sent);
      if (count < wanted.byteLength) throw this.#cut();
    } catch (error) {
      if (error instanceof DiskError) this.#region.readFailed(error);
      throw error;
    }
    fileSenderTotals.reads++;
    fileSenderTotals.bytesRead += wanted.byteLength;
    this.#advance(wanted.byteLength);
    return wanted;
  }

  /**
   * Moves bytes from the file into a socket inside the kernel (sendfile(2)), nothing of which may be pending elsewhere. Gives how
   * many: fewer than `budget` and than are left when the socket takes no more for now, or fails; which of both the next ordinary
   * write tells.
   */
  send(socketDescriptor: number, budget: number): number {
    const call = sendFile();
    const { file, position } = this.#region;
    assert(call !== null && file.descriptor !== null, 'the region is sendable');
    let moved = 0;
    while (this.left > 0 && moved < budget) {
      const length = Math.min(this.left, BYTES_PER_CALL, budget - moved);
      const count = call(socketDescriptor, file.descriptor, position + this.#sent, length);
      if (count === 0) throw this.#cut();
      if (count < 0) break;
      moved += count;
      this.#advance(count);
      // Asking again at once would move the little that has become free meanwhile: many small packets for a reader that keeps up.
      if (count < length) break;
    }
    fileSenderTotals.bytesByKernel += moved;
    return moved;
  }

  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#region.release();
  }

  #advance(count: number): void {
    this.#sent += count;
    assert(this.#sent <= this.#region.length, 'no more is sent than the region holds');
  }

  #cut(): RegionCutError {
    const { file, position, length } = this.#region;
    return new RegionCutError(`${file.path} ends before ${position + length}`);
  }
}

const sendFile = (): CLibrary['sendFile'] => cLibrary()?.sendFile ?? null;
