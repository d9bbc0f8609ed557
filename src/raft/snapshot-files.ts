import type { Disk, DiskFile } from '../base/disk.ts';
import { joinPath } from '../storage/path.ts';
import type { OffsetAndEpoch, SnapshotSink, SnapshotSource } from './raft-log.ts';
import { compareOffsetAndEpoch } from './raft-log.ts';

const NAME = /^(\d{20})-(\d{10})\.checkpoint$/;
const PART = /^\d{20}-\d{10}.*\.checkpoint\.part$/;

/** `00000000000000000663-0000000001.checkpoint`: the offset that comes after what it holds, and the epoch before it. */
export function snapshotFileName({ offset, epoch }: OffsetAndEpoch): string {
  return `${String(offset).padStart(20, '0')}-${String(epoch).padStart(10, '0')}.checkpoint`;
}

/** The snapshots in the metadata log's directory. A file gets its name when it is whole and durable; until then it ends in `.part`. */
export class SnapshotFiles {
  readonly #disk: Disk;
  readonly #directory: string;
  #ids: OffsetAndEpoch[] = [];

  constructor(disk: Disk, directory: string) {
    this.#disk = disk;
    this.#directory = directory;
    for (const { name, kind } of disk.list(directory)) {
      if (kind !== 'file') continue;
      const match = NAME.exec(name);
      if (match !== null) this.#ids.push({ offset: Number(match[1]), epoch: Number(match[2]) });
      // What a crash left half written is nothing.
      if (PART.test(name)) disk.remove(joinPath(directory, name));
    }
    this.#ids.sort(compareOffsetAndEpoch);
  }

  /** Oldest first. */
  get ids(): readonly OffsetAndEpoch[] {
    return this.#ids;
  }

  has(id: OffsetAndEpoch): boolean {
    return this.#ids.some((known) => compareOffsetAndEpoch(known, id) === 0);
  }

  create(id: OffsetAndEpoch): SnapshotSink {
    const path = joinPath(this.#directory, snapshotFileName(id));
    const part = `${path}.part`;
    const file = this.#disk.open(part, { create: true });
    file.truncate(0);
    let sizeInBytes = 0;
    return {
      append: (bytes) => {
        file.write([bytes], sizeInBytes);
        sizeInBytes += bytes.length;
      },
      get sizeInBytes() {
        return sizeInBytes;
      },
      freeze: async () => {
        await file.sync();
        file.close();
        this.#disk.rename(part, path);
        this.#disk.syncDirectory(this.#directory);
        this.#ids = [...this.#ids, id].sort(compareOffsetAndEpoch);
      },
      discard: () => {
        file.close();
        this.#disk.remove(part);
      },
    };
  }

  open(id: OffsetAndEpoch): SnapshotSource {
    const file: DiskFile = this.#disk.open(joinPath(this.#directory, snapshotFileName(id)), { readOnly: true });
    return {
      id,
      sizeInBytes: file.size(),
      read: (target, position) => file.read(target, position),
      close: () => file.close(),
    };
  }

  sizeOf(id: OffsetAndEpoch): number {
    const source = this.open(id);
    source.close();
    return source.sizeInBytes;
  }

  remove(id: OffsetAndEpoch): void {
    this.#disk.remove(joinPath(this.#directory, snapshotFileName(id)));
    this.#ids = this.#ids.filter((known) => compareOffsetAndEpoch(known, id) !== 0);
  }
}
