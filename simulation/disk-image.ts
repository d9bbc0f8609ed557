import { assert } from '../src/base/assert.ts';
import type { SimulatedRandom } from './simulated-random.ts';

/** Devices write whole sectors: a torn write leaves some of them new and some of them old. */
const SECTOR_BYTES = 512;

export type InodeId = number;

/** One change to the disk, as data: what a trace is made of. */
export type Mutation =
  | { readonly kind: 'create'; readonly path: string; readonly parent: InodeId; readonly name: string; readonly inode: InodeId }
  | {
      readonly kind: 'makeDirectory';
      readonly path: string;
      readonly parent: InodeId;
      readonly name: string;
      readonly inode: InodeId;
    }
  | { readonly kind: 'remove'; readonly path: string; readonly parent: InodeId; readonly name: string }
  | { readonly kind: 'rename'; readonly path: string; readonly to: string; readonly edits: readonly NameEdit[] }
  | { readonly kind: 'syncDirectory'; readonly path: string; readonly directory: InodeId }
  | {
      readonly kind: 'write';
      readonly path: string;
      readonly inode: InodeId;
      readonly position: number;
      readonly bytes: Uint8Array;
    }
  | { readonly kind: 'truncate'; readonly path: string; readonly inode: InodeId; readonly length: number }
  /** A sync that came back: changes of the file up to and without number `upTo` are on the device. */
  | { readonly kind: 'sync'; readonly path: string; readonly inode: InodeId; readonly upTo: number }
  /** A sync that failed: the changes are marked clean, as Linux does, and no later sync brings them to the device. */
  | { readonly kind: 'syncFailed'; readonly path: string; readonly inode: InodeId; readonly upTo: number };

export interface NameEdit {
  readonly directory: InodeId;
  readonly name: string;
  readonly inode: InodeId | null;
}

interface NameChange {
  readonly edits: readonly NameEdit[];
  /** Directories that have not been synced since. */
  readonly unsynced: Set<InodeId>;
}

type DataChange = (
  | { readonly kind: 'write'; readonly position: number; readonly bytes: Uint8Array }
  | { readonly kind: 'truncate'; readonly length: number }
) & { readonly number: number; isForgotten: boolean };

export class FileData {
  #bytes: Uint8Array;
  length: number;

  constructor(bytes: Uint8Array = new Uint8Array(0)) {
    this.#bytes = bytes;
    this.length = bytes.byteLength;
  }

  view(start = 0, end = this.length): Uint8Array {
    return this.#bytes.subarray(Math.min(start, this.length), Math.min(end, this.length));
  }

  write(bytes: Uint8Array, position: number): void {
    this.#reserve(position + bytes.byteLength);
    this.#bytes.set(bytes, position);
    this.length = Math.max(this.length, position + bytes.byteLength);
  }

  truncate(length: number): void {
    this.#reserve(length);
    if (length < this.length) this.#bytes.fill(0, length, this.length);
    this.length = length;
  }

  copy(): FileData {
    return new FileData(this.view().slice());
  }

  #reserve(length: number): void {
    if (length <= this.#bytes.byteLength) return;
    const grown = new Uint8Array(Math.max(length, this.#bytes.byteLength * 2));
    grown.set(this.view());
    this.#bytes = grown;
  }
}

export class FileInode {
  readonly data: FileData;
  readonly durable: FileData;
  /** Not on the device yet. */
  changes: DataChange[] = [];
  nextChange = 0;

  constructor(data: FileData, durable: FileData) {
    this.data = data;
    this.durable = durable;
  }

  copy(): FileInode {
    const copy = new FileInode(this.data.copy(), this.durable.copy());
    copy.changes = this.changes.map((change) => ({ ...change }));
    copy.nextChange = this.nextChange;
    return copy;
  }
}

export class DirectoryInode {
  readonly entries: Map<string, InodeId>;
  readonly durable: Map<string, InodeId>;

  constructor(entries = new Map<string, InodeId>(), durable = new Map<string, InodeId>()) {
    this.entries = entries;
    this.durable = durable;
  }

  copy(): DirectoryInode {
    return new DirectoryInode(new Map(this.entries), new Map(this.durable));
  }
}

/**
 * What becomes of changes that were not synced. `kept`: only the process died, and a power cut that comes later may still take them.
 * `torn`: some are kept, some lost, some written in part, by chance.
 */
export type CrashMode =
  | { readonly unsynced: 'lost' }
  | { readonly unsynced: 'kept' }
  | { readonly unsynced: 'torn'; readonly random: SimulatedRandom };

type PowerCut = Exclude<CrashMode, { unsynced: 'kept' }>;

export const ROOT: InodeId = 0;

/**
 * The state of a simulated disk: what programs see, and what would survive a power cut. Names and file contents become durable
 * apart from each other, as POSIX has it: syncing a file does not keep its name, nor syncing its directory its bytes.
 */
export class DiskImage {
  readonly inodes: Map<InodeId, FileInode | DirectoryInode>;
  #nameChanges: NameChange[] = [];
  nextInode: InodeId;

  constructor(
    inodes: Map<InodeId, FileInode | DirectoryInode> = new Map([[ROOT, new DirectoryInode()]]),
    nextInode: InodeId = 1,
  ) {
    this.inodes = inodes;
    this.nextInode = nextInode;
  }

  file(id: InodeId): FileInode {
    const inode = this.inodes.get(id);
    assert(inode instanceof FileInode, `inode ${id} is a file`);
    return inode;
  }

  directory(id: InodeId): DirectoryInode {
    const inode = this.inodes.get(id);
    assert(inode instanceof DirectoryInode, `inode ${id} is a directory`);
    return inode;
  }

  apply(mutation: Mutation): void {
    switch (mutation.kind) {
      case 'create':
        this.inodes.set(mutation.inode, new FileInode(new FileData(), new FileData()));
        return this.#link(mutation);
      case 'makeDirectory':
        this.inodes.set(mutation.inode, new DirectoryInode());
        return this.#link(mutation);
      case 'remove':
        return this.#changeNames([{ directory: mutation.parent, name: mutation.name, inode: null }]);
      case 'rename':
        return this.#changeNames(mutation.edits);
      case 'syncDirectory':
        return this.#syncDirectory(mutation.directory);
      case 'write':
      case 'truncate':
        return this.#changeData(mutation);
      case 'sync':
        return this.#sync(this.file(mutation.inode), mutation.upTo);
      case 'syncFailed':
        for (const change of this.file(mutation.inode).changes) if (change.number < mutation.upTo) change.isForgotten = true;
        return;
      default:
        mutation satisfies never;
    }
  }

  /** The disk as the next start finds it. */
  crash(mode: CrashMode): DiskImage {
    if (mode.unsynced === 'kept') return this.copy();
    const keptNames = this.#namesAfter(mode);
    const survivors = new Map<InodeId, FileInode | DirectoryInode>();
    const visit = (id: InodeId): void => {
      const inode = this.inodes.get(id);
      if (inode instanceof FileInode) {
        const data = dataAfter(inode, mode);
        survivors.set(id, new FileInode(data, data.copy()));
      } else {
        const entries = keptNames.get(id) ?? new Map<string, InodeId>();
        survivors.set(id, new DirectoryInode(entries, new Map(entries)));
        for (const child of entries.values()) visit(child);
      }
    };
    visit(ROOT);
    return new DiskImage(survivors, this.nextInode);
  }

  copy(): DiskImage {
    const copy = new DiskImage(new Map([...this.inodes].map(([id, inode]) => [id, inode.copy()])), this.nextInode);
    copy.#nameChanges = this.#nameChanges.map(({ edits, unsynced }) => ({ edits, unsynced: new Set(unsynced) }));
    return copy;
  }

  #link({ parent, name, inode }: { readonly parent: InodeId; readonly name: string; readonly inode: InodeId }): void {
    this.nextInode = Math.max(this.nextInode, inode + 1);
    this.#changeNames([{ directory: parent, name, inode }]);
  }

  #changeNames(edits: readonly NameEdit[]): void {
    for (const edit of edits) applyEdit(this.directory(edit.directory).entries, edit);
    this.#nameChanges.push({ edits, unsynced: new Set(edits.map((edit) => edit.directory)) });
  }

  /** A change of names is durable when all its directories are synced, and never before an earlier change of the same name. */
  #syncDirectory(directory: InodeId): void {
    const waiting = new Set<string>();
    this.#nameChanges = this.#nameChanges.filter((change) => {
      change.unsynced.delete(directory);
      const keys = change.edits.map((edit) => `${edit.directory}/${edit.name}`);
      if (change.unsynced.size > 0 || keys.some((key) => waiting.has(key))) {
        for (const key of keys) waiting.add(key);
        return true;
      }
      for (const edit of change.edits) applyEdit(this.directory(edit.directory).durable, edit);
      return false;
    });
  }

  #changeData(mutation: Extract<Mutation, { kind: 'write' | 'truncate' }>): void {
    const inode = this.file(mutation.inode);
    const change: DataChange = { ...mutation, number: inode.nextChange++, isForgotten: false };
    applyChange(inode.data, change);
    inode.changes.push(change);
  }

  #sync(inode: FileInode, upTo: number): void {
    inode.changes = inode.changes.filter((change) => {
      if (change.number >= upTo || change.isForgotten) return true;
      applyChange(inode.durable, change);
      return false;
    });
  }

  #namesAfter(mode: PowerCut): Map<InodeId, Map<string, InodeId>> {
    const names = new Map<InodeId, Map<string, InodeId>>();
    for (const [id, inode] of this.inodes) if (inode instanceof DirectoryInode) names.set(id, new Map(inode.durable));
    const changes = this.#nameChanges;
    // Journals keep the order of names: what survives is a beginning of what happened.
    const kept = mode.unsynced === 'torn' ? mode.random.integer(changes.length + 1) : 0;
    for (const { edits } of changes.slice(0, kept)) {
      for (const edit of edits) applyEdit(names.get(edit.directory) ?? new Map<string, InodeId>(), edit);
    }
    return names;
  }
}

function applyEdit(entries: Map<string, InodeId>, { name, inode }: NameEdit): void {
  if (inode === null) entries.delete(name);
  else entries.set(name, inode);
}

function applyChange(data: FileData, change: DataChange): void {
  if (change.kind === 'write') data.write(change.bytes, change.position);
  else data.truncate(change.length);
}

function dataAfter(inode: FileInode, mode: PowerCut): FileData {
  const data = inode.durable.copy();
  if (mode.unsynced === 'lost') return data;
  const { random } = mode;
  const intact = random.integer(inode.changes.length + 1);
  // One time in two everything after a point is lost; otherwise each later change has its own luck.
  const isPrefix = random.oneIn(2);
  inode.changes.forEach((change, at) => {
    if (at < intact || (!isPrefix && random.oneIn(2))) applyChange(data, change);
    else if (change.kind === 'write' && (at === intact || !isPrefix)) tear(data, change.bytes, change.position, random);
  });
  return data;
}

/** Writes a beginning of the bytes, or single sectors of them. */
function tear(data: FileData, bytes: Uint8Array, position: number, random: SimulatedRandom): void {
  if (random.oneIn(2)) {
    const count = random.integer(bytes.byteLength + 1);
    if (count > 0) data.write(bytes.subarray(0, count), position);
    return;
  }
  for (let start = 0; start < bytes.byteLength; ) {
    const end = Math.min(bytes.byteLength, start + SECTOR_BYTES - ((position + start) % SECTOR_BYTES));
    if (random.oneIn(2)) data.write(bytes.subarray(start, end), position + start);
    start = end;
  }
}
