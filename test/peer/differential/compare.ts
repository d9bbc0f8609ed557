import { batchesOf } from '../../../src/protocol/records/batches.ts';
import { recordsOf } from '../../../src/protocol/records/record-iterator.ts';
import type { Values } from './fit.ts';
import { type Pairs, pairKindOf } from './pairs.ts';

/** One value that the two brokers do not agree on, and where it is in the answer. */
export interface Difference {
  readonly path: string;
  readonly kafka: unknown;
  readonly ottla: unknown;
}

/** Fields that tell of times, of sizes of disks and of the length of the metadata log. */
const accidents: ReadonlySet<string> = new Set([
  'host',
  'port',
  'finalizedFeaturesEpoch',
  'totalBytes',
  'usableBytes',
  'lastFetchTimestamp',
  'lastCaughtUpTimestamp',
  'logAppendTimeMs',
]);

/** Arrays that Kafka fills from a hash table, and what tells their entries apart. */
const unordered: Readonly<Record<string, (entry: Values) => string>> = {
  apiKeys: ({ apiKey }) => String(apiKey).padStart(5),
  supportedFeatures: ({ name }) => String(name),
  finalizedFeatures: ({ name }) => String(name),
  configs: ({ name }) => String(name),
  activeProducers: ({ producerId }) => String(producerId).padStart(10),
};

export interface CompareOptions {
  readonly pairs: Pairs;
  /** Times from here on are the brokers' own. */
  readonly startedMs: number;
  /** Further arrays of this answer whose order is not told: by name, what tells their entries apart. */
  readonly sorted?: Sorted;
}

export type Sorted = Readonly<Record<string, (entry: Values) => string>>;

/** What differs between two decoded answers to the same request. Learns which ids stand for each other on the way. */
export function compareAnswers(kafka: unknown, ottla: unknown, options: CompareOptions): Difference[] {
  const found: Difference[] = [];
  compareValue({ path: '', name: '', options, found }, kafka, ottla);
  return found;
}

interface Place {
  readonly path: string;
  readonly name: string;
  readonly options: CompareOptions;
  readonly found: Difference[];
}

function compareValue(place: Place, kafka: unknown, ottla: unknown): void {
  const { path, name, options, found } = place;
  const differ = (): void => void found.push({ path, kafka, ottla });
  if (accidents.has(name)) {
    if (typeof kafka !== typeof ottla || isAbsent(kafka) !== isAbsent(ottla)) differ();
    return;
  }
  // What gzip makes of the same records differs by a few bytes.
  if (name === 'partitionSize' && path.includes('[zipped]')) return;
  const kind = pairKindOf(name);
  if (kind !== undefined) {
    if (!options.pairs.match(kind, kafka, ottla)) differ();
    return;
  }
  if (name === 'records') compareRecords(place, kafka, ottla);
  else if (name === 'documentation') {
    // What a config is for is told in each program's own words.
    if ((kafka === null) !== (ottla === null)) differ();
  } else if (Array.isArray(kafka) && Array.isArray(ottla)) compareArrays(place, kafka, ottla);
  else if (isObject(kafka) && isObject(ottla)) compareObjects(place, kafka, ottla);
  else if (kafka instanceof Uint8Array && ottla instanceof Uint8Array) {
    if (textOf(kafka) !== textOf(ottla)) differ();
  } else if (typeof kafka === 'string' && typeof ottla === 'string') {
    if (sameText(kafka) !== sameText(options.pairs.textToTheirs(ottla))) differ();
  } else if (kafka !== ottla && !(isBrokersTime(kafka, options) && isBrokersTime(ottla, options))) differ();
}

const isBrokersTime = (value: unknown, { startedMs }: CompareOptions): boolean =>
  typeof value === 'number' && value > startedMs && value < startedMs + 86_400_000;

const isAbsent = (value: unknown): boolean => value === -1 || value === '' || value === null;

/** Without the times that texts tell. */
const sameText = (text: string): string => text.replaceAll(/-?\b(1[789]\d{11}|92233\d{14})\b/g, 'TIME');

function compareArrays(place: Place, kafka: readonly unknown[], ottla: readonly unknown[]): void {
  const { path, name, options, found } = place;
  const keyOf = options.sorted?.[name] ?? unordered[name];
  if (keyOf !== undefined) {
    const keyOfOurs = (entry: Values): string => options.pairs.textToTheirs(keyOf(idsToTheirs(entry, options.pairs)));
    compareByKey(place, keyed(kafka, keyOf), keyed(ottla, keyOfOurs));
    return;
  }
  if (kafka.length !== ottla.length) {
    found.push({ path: `${path}.length`, kafka: kafka.length, ottla: ottla.length });
    return;
  }
  for (const [index, element] of kafka.entries()) {
    compareValue({ ...place, path: `${path}[${index}]`, name: '' }, element, ottla[index]);
  }
}

const idsToTheirs = (entry: Values, pairs: Pairs): Values =>
  Object.fromEntries(
    Object.entries(entry).map(([name, value]) => {
      const kind = pairKindOf(name);
      return [name, kind === undefined ? value : pairs.toTheirs(kind, value)];
    }),
  );

const keyed = (entries: readonly unknown[], keyOf: (entry: Values) => string): ReadonlyMap<string, unknown> => {
  const map = new Map<string, unknown>();
  for (const entry of entries) {
    const key = keyOf(entry as Values);
    map.set(map.has(key) ? `${key} again` : key, entry);
  }
  return map;
};

function compareByKey(place: Place, kafka: ReadonlyMap<string, unknown>, ottla: ReadonlyMap<string, unknown>): void {
  for (const key of new Set([...kafka.keys(), ...ottla.keys()])) {
    const path = `${place.path}[${key.trim()}]`;
    compareValue({ ...place, path, name: '' }, kafka.get(key), ottla.get(key));
  }
}

const isObject = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array);

function compareObjects(place: Place, kafka: Values, ottla: Values): void {
  for (const name of new Set([...Object.keys(kafka), ...Object.keys(ottla)])) {
    compareValue({ ...place, path: place.path === '' ? name : `${place.path}.${name}`, name }, kafka[name], ottla[name]);
  }
}

function compareRecords(place: Place, kafka: unknown, ottla: unknown): void {
  if (!(kafka instanceof Uint8Array) || !(ottla instanceof Uint8Array)) {
    if (kafka !== ottla) place.found.push({ path: place.path, kafka, ottla });
    return;
  }
  const theirs = batchesAsValues(kafka);
  const ours = batchesAsValues(ottla);
  // What gzip makes of the same records differs by a few bytes, and with it what has room.
  if (theirs.isGzipped || ours.isGzipped) {
    const count = Math.min(theirs.batches.length, ours.batches.length);
    compareValue({ ...place, name: '' }, theirs.batches.slice(0, count), ours.batches.slice(0, count));
  } else compareValue({ ...place, name: '' }, theirs, ours);
}

/** Batches with what must be alike. A checksum covers the producer's id and times of the broker, so it is only said to be right. */
function batchesAsValues(bytes: Uint8Array): { readonly batches: Values[]; readonly rest: number; readonly isGzipped: boolean } {
  const batches: Values[] = [];
  let whole = 0;
  for (const batch of batchesOf(bytes)) {
    whole += batch.sizeInBytes;
    const isBrokersTime = batch.timestampType === 'log-append-time';
    batches.push({
      baseOffset: batch.baseOffset,
      lastOffset: batch.lastOffset,
      partitionLeaderEpoch: batch.partitionLeaderEpoch,
      attributes: batch.attributes,
      producerId: batch.producerId,
      producerEpoch: batch.producerEpoch,
      baseSequence: batch.baseSequence,
      maxTimestamp: isBrokersTime ? 'now' : batch.maxTimestamp,
      isCrcValid: batch.isCrcValid(),
      sizeInBytes: batch.codec === 'gzip' ? 'gzip' : batch.sizeInBytes,
      entries: [...recordsOf(batch)].map(({ offset, timestamp, key, value, headers }) => ({
        offset,
        timestamp: isBrokersTime ? 'now' : timestamp,
        key: textOf(key),
        value: textOf(value),
        headers: headers.map((header) => `${header.key}=${textOf(header.value)}`),
      })),
    });
  }
  const rest = bytes.length - whole;
  const isCut = rest > ATTRIBUTES + 1 && ((bytes[whole + ATTRIBUTES + 1] ?? 0) & 7) === GZIP;
  return { batches, rest, isGzipped: isCut || batches.some(({ sizeInBytes }) => sizeInBytes === 'gzip') };
}

/** Where the codec is told in a batch, and that of gzip. */
const ATTRIBUTES = 21;
const GZIP = 1;

const textOf = (bytes: Uint8Array | null): string | null => (bytes === null ? null : Buffer.from(bytes).toString('latin1'));
