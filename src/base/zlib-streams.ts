/** What zlib can do to bytes. */
export type ZlibTask = 'gunzip' | 'unzstd' | 'gzip' | 'zstd';

/** Compression as an argument, for what is too much for one turn of the event loop: the system does it elsewhere, piece by piece. */
export interface ZlibStreams {
  /**
   * What becomes of the bytes, in pieces that are the receiver's to keep; few of them are made ahead of it. Fails as zlib does for bytes that it did not write. `level` is
   * that of the compression. Leaving the loop early stops the work.
   */
  run(task: ZlibTask, input: AsyncIterable<Uint8Array> | Iterable<Uint8Array>, level?: number): AsyncIterable<Uint8Array>;
}
