import { assert } from '../../../base/assert.ts';
import { uuidToBytes, type Uuid } from '../../../base/uuid.ts';
import { readInt32 } from '../../../base/bytes/big-endian.ts';

interface Entry<K, V> {
  readonly key: K;
  readonly hash: number;
  value: V;
}

const CAPACITY = 16;
/** From this length on a bin makes a table grow that has fewer than `TREE_CAPACITY` bins. */
const BIN_LENGTH = 8;
const TREE_CAPACITY = 64;

/**
 * A map with the iteration order of java.util.HashMap. Kafka's assignors walk over such maps, so the order decides who gets which partition.
 * Not imitated: the trees that Java makes of bins with more than eight entries in tables of 64 bins and more, which may move one entry to the front.
 */
export class JavaHashMap<K, V> {
  readonly #hashOf: (key: K) => number;
  #bins: (Entry<K, V>[] | undefined)[] = [];
  /** The size of the table; it is made with the first entry. */
  #capacity: number;
  #size = 0;
  /** All entries, once there was a full bin: strings of one hash code are easily made, and whoever names many is not to be waited for. */
  #byKey: Map<K, Entry<K, V>> | null = null;

  /** `hashOf` is the key's hashCode. */
  constructor(hashOf: (key: K) => number, capacity = CAPACITY) {
    this.#hashOf = hashOf;
    this.#capacity = tableSizeFor(capacity);
  }

  get size(): number {
    return this.#size;
  }

  get(key: K): V | undefined {
    return this.#find(key, spread(this.#hashOf(key)))?.value;
  }

  /** As `put`: a new entry comes last in its bin, and the table grows after it when it is three quarters full. */
  set(key: K, value: V): void {
    const hash = spread(this.#hashOf(key));
    const found = this.#find(key, hash);
    if (found !== undefined) {
      found.value = value;
      return;
    }
    const bin = this.#bin(hash);
    const entry = { key, hash, value };
    bin.push(entry);
    this.#byKey?.set(key, entry);
    if (bin.length > BIN_LENGTH) this.#growForBin();
    this.#size++;
    if (this.#size > this.#threshold()) this.#grow();
  }

  /** As `computeIfAbsent`: a new entry comes first in its bin, and the table grows before the next one. */
  getOrMake(key: K, make: () => V): V {
    if (this.#size > this.#threshold()) this.#grow();
    const hash = spread(this.#hashOf(key));
    const found = this.#find(key, hash);
    if (found !== undefined) return found.value;
    const value = make();
    const bin = this.#bin(hash);
    const entry = { key, hash, value };
    bin.unshift(entry);
    this.#byKey?.set(key, entry);
    if (bin.length > BIN_LENGTH) this.#growForBin();
    this.#size++;
    return value;
  }

  delete(key: K): boolean {
    const bin = this.#bins[this.#indexOf(spread(this.#hashOf(key)))];
    const position = bin?.findIndex((entry) => entry.key === key) ?? -1;
    if (bin === undefined || position < 0) return false;
    bin.splice(position, 1);
    this.#byKey?.delete(key);
    this.#size--;
    return true;
  }

  *entries(): Generator<readonly [K, V]> {
    for (const bin of this.#bins) {
      if (bin === undefined) continue;
      for (const { key, value } of bin) yield [key, value];
    }
  }

  keys(): K[] {
    const keys: K[] = [];
    for (const bin of this.#bins) {
      if (bin === undefined) continue;
      for (const { key } of bin) keys.push(key);
    }
    assert(keys.length === this.#size, 'a hash map counts its entries');
    return keys;
  }

  #indexOf(hash: number): number {
    return hash & (this.#capacity - 1);
  }

  #threshold(): number {
    return Math.floor(this.#capacity * 0.75);
  }

  #find(key: K, hash: number): Entry<K, V> | undefined {
    if (this.#byKey !== null) return this.#byKey.get(key);
    const bin = this.#bins[this.#indexOf(hash)];
    if (bin === undefined) return undefined;
    for (const entry of bin) if (entry.key === key) return entry;
    return undefined;
  }

  #bin(hash: number): Entry<K, V>[] {
    const index = this.#indexOf(hash);
    const bin = this.#bins[index];
    if (bin !== undefined) return bin;
    while (this.#bins.length < index) this.#bins.push(undefined);
    const made: Entry<K, V>[] = [];
    this.#bins[index] = made;
    return made;
  }

  /** A bin has become too long. */
  #growForBin(): void {
    if (this.#capacity < TREE_CAPACITY) this.#grow();
    else this.#byKey ??= new Map(this.#bins.flatMap((bin) => (bin ?? []).map((entry) => [entry.key, entry])));
  }

  /** Entries that stay together keep their order. */
  #grow(): void {
    const bins = this.#bins;
    this.#bins = [];
    this.#capacity *= 2;
    for (const bin of bins) {
      if (bin === undefined) continue;
      for (const entry of bin) this.#bin(entry.hash).push(entry);
    }
  }
}

/** Partition numbers in the order of java.util.HashSet. */
export class JavaPartitionSet {
  readonly #map: JavaHashMap<number, true>;

  constructor(capacity = CAPACITY) {
    this.#map = new JavaHashMap<number, true>(hashOfInteger, capacity);
  }

  /** As `new HashSet(collection)`. */
  static of(partitions: readonly number[]): JavaPartitionSet {
    const set = new JavaPartitionSet(capacityOfCopy(partitions.length));
    for (const partition of partitions) set.add(partition);
    return set;
  }

  get size(): number {
    return this.#map.size;
  }

  add(partition: number): void {
    this.#map.set(partition, true);
  }

  delete(partition: number): void {
    this.#map.delete(partition);
  }

  values(): number[] {
    return this.#map.keys();
  }
}

/** The keys in the order of `new HashSet(collection)`. */
export function javaSetOrder<K>(keys: Iterable<K>, size: number, hashOf: (key: K) => number): K[] {
  const map = new JavaHashMap<K, true>(hashOf, capacityOfCopy(size));
  for (const key of keys) map.set(key, true);
  return map.keys();
}

/** The capacity that Java's code asks for when it expects `size` entries: single precision, as there. */
export function capacityFor(size: number): number {
  return Math.trunc(Math.fround(Math.fround(size / 0.75) + 1));
}

/** Of Kafka's Uuid: its four words, one over the other. */
export function hashOfUuid(uuid: Uuid): number {
  const bytes = uuidToBytes(uuid);
  return readInt32(bytes, 0) ^ readInt32(bytes, 4) ^ readInt32(bytes, 8) ^ readInt32(bytes, 12);
}

function capacityOfCopy(size: number): number {
  return Math.max(Math.trunc(Math.fround(size / 0.75)) + 1, CAPACITY);
}

function hashOfInteger(value: number): number {
  return value;
}

function spread(hash: number): number {
  return hash ^ (hash >>> 16);
}

/** The next power of two. */
function tableSizeFor(capacity: number): number {
  return capacity <= 1 ? 1 : 2 ** (32 - Math.clz32(capacity - 1));
}
