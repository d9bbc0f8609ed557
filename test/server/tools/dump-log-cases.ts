import { closeSync, ftruncateSync, mkdirSync, openSync, readdirSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { encode } from '../../../src/protocol/codec.ts';
import { remoteLogSegmentMetadataRecord } from '../../../src/protocol/data/remote-log-segment-metadata-record.ts';
import { remoteLogSegmentMetadataSnapshotRecord } from '../../../src/protocol/data/remote-log-segment-metadata-snapshot-record.ts';
import { remoteLogSegmentMetadataUpdateRecord } from '../../../src/protocol/data/remote-log-segment-metadata-update-record.ts';
import { remotePartitionDeleteMetadataRecord } from '../../../src/protocol/data/remote-partition-delete-metadata-record.ts';
import { buildBatch } from '../../../src/protocol/records/record-batch-builder.ts';
import { readGolden } from '../../golden.ts';
import { readGoldenLines } from '../../golden-lines.ts';
import { tarEntries } from '../../storage/tar.ts';

/** One run of dump-log in a directory that `prepareDumpLogFiles` filled. */
export interface DumpLogCase {
  readonly name: string;
  readonly args: readonly string[];
}

/** What kafka-dump-log of Apache Kafka 4.4.0 did; recorded by record-dump-log.ts. */
export interface DumpLogGolden extends DumpLogCase {
  readonly exit: number;
  readonly stdout: string;
  readonly stderr: string;
}

const FIXTURES = [
  'compacted',
  'groups',
  'leader-epochs',
  'metadata-v0',
  'metadata-v1',
  'plain',
  'transactions',
  'transactions-v0',
  'unclean',
];

/** Writes directories of real brokers, and logs made of all vectors, below `root`. */
export function prepareDumpLogFiles(root: string): void {
  for (const fixture of FIXTURES) unpack(root, fixture);
  damage(root);
  writeVectorLogs(root);
}

function unpack(root: string, fixture: string): void {
  const archive = gunzipSync(readFileSync(new URL(`../../golden/disk/${fixture}.tar.gz`, import.meta.url)));
  for (const entry of tarEntries(archive)) {
    const path = join(root, entry.name);
    mkdirSync(entry.bytes === null ? path : dirname(path), { recursive: true });
    if (entry.bytes === null) continue;
    const file = openSync(path, 'w');
    for (const part of entry.parts) writeSync(file, part.bytes, 0, part.bytes.length, part.position);
    ftruncateSync(file, entry.size);
    closeSync(file);
  }
}

const FIRST_LOG = '00000000000000000000.log';

/** Segments that end or are broken in the middle, and indexes that do not fit their logs. */
function damage(root: string): void {
  const log = readFileSync(join(root, 'plain/plain-0', FIRST_LOG));
  const write = (name: string, files: Readonly<Record<string, Buffer>>): void => {
    for (const [file, bytes] of Object.entries(files)) {
      mkdirSync(join(root, 'damaged', name), { recursive: true });
      writeFileSync(join(root, 'damaged', name, file), bytes);
    }
  };
  const index = readFileSync(join(root, 'plain/plain-0', FIRST_LOG.replace('.log', '.index')));
  const timeIndex = readFileSync(join(root, 'plain/plain-0', FIRST_LOG.replace('.log', '.timeindex')));
  const flipped = Buffer.from(log);
  flipped[100] = (flipped[100] ?? 0) ^ 0xff;
  const wrongIndex = Buffer.from(index);
  wrongIndex[3] = (wrongIndex[3] ?? 0) + 1;
  const wrongTimes = Buffer.from(timeIndex);
  wrongTimes[7] = (wrongTimes[7] ?? 0) ^ 0x55;
  write('torn', { [FIRST_LOG]: log.subarray(0, log.length - 7) });
  write('flipped', { [FIRST_LOG]: flipped });
  write('zeros', { [FIRST_LOG]: Buffer.concat([log, Buffer.alloc(100)]) });
  write('empty', {
    [FIRST_LOG]: Buffer.alloc(0),
    '00000000000000000000.index': Buffer.alloc(0),
    '00000000000000000000.timeindex': Buffer.alloc(0),
  });
  write('indexes', { [FIRST_LOG]: log, '00000000000000000000.index': wrongIndex, '00000000000000000000.timeindex': wrongTimes });
  write('index-size', {
    [FIRST_LOG]: log,
    '00000000000000000000.index': index.subarray(0, 7),
    '00000000000000000000.timeindex': timeIndex.subarray(0, 13),
  });
  write('snapshots', {
    '00000000000000000005.snapshot': Buffer.from('0001000000000000000000', 'hex'),
    '00000000000000000006.snapshot': Buffer.alloc(3),
  });
  write('transactions', { '00000000000000000000.txnindex': Buffer.alloc(20) });
}

interface RecordVector {
  readonly name: string;
  readonly hex: string;
}

interface MessageVector {
  readonly schema: string;
  readonly type: 'key' | 'value' | 'metadata';
  readonly prefix: string;
  readonly json: unknown;
  readonly hex: string;
}

/** Our codecs refuse integers that a number cannot hold. */
function isReadable(vector: MessageVector): boolean {
  const isUnsafe = (json: unknown): boolean => {
    if (typeof json === 'string') return /^-?\d{16,19}$/.test(json) && json !== '9223372036854775807';
    return (
      typeof json === 'object' &&
      json !== null &&
      Object.entries(json).some(([name, inner]) => name !== 'metadataHash' && isUnsafe(inner))
    );
  };
  return !isUnsafe(vector.json);
}

const vectorsOf = (folder: string): MessageVector[] =>
  (readGoldenLines(`vectors/${folder}.jsonl.gz`) as MessageVector[]).filter(isReadable);

/** Every batch vector, and every vector of a log's records as a log of its own. */
function writeVectorLogs(root: string): void {
  for (const file of ['batches', 'broken-batches']) {
    for (const { name, hex } of readGolden(`records/${file}.json.gz`) as RecordVector[]) {
      writeLog(root, `${file}/${name}`, Buffer.from(hex, 'hex'));
    }
  }
  const metadata = vectorsOf('metadata-records').map(bytesOf);
  writeLog(
    root,
    'vectors/metadata-records',
    batchOf(
      metadata.map((value) => ({ timestamp: TIME, value })),
      0,
    ),
  );
  for (const folder of ['group-coordinator', 'transaction-coordinator', 'share-coordinator']) {
    writeLog(root, `vectors/${folder}`, batchOf(keyedRecords(vectorsOf(folder)), 0));
  }
  for (const [index, { key, value, headers }] of ODD_RECORDS.entries()) {
    writeLog(
      root,
      `odd/${index}`,
      batchOf([{ timestamp: TIME, key: hexOrNull(key), value: hexOrNull(value), headers: headers ?? [] }], 0),
    );
  }
  writeLog(
    root,
    'remote',
    batchOf(
      remoteRecords().map((value) => ({ timestamp: TIME, value })),
      0,
    ),
  );
}

const hexOrNull = (hex: string | null): Buffer | null => (hex === null ? null : Buffer.from(hex, 'hex'));

/** Keys and values that one decoder or another cannot read, in hexadecimal. */
const ODD_RECORDS: readonly {
  readonly key: string | null;
  readonly value: string | null;
  readonly headers?: { key: string; value: Buffer | null }[];
}[] = [
  { key: '00630000', value: '0000' },
  { key: null, value: '78' },
  { key: '6b225c0a01c3a9', value: 'ff61000a' },
  { key: '', value: '' },
  {
    key: '6b',
    value: null,
    headers: [
      { key: 'a', value: null },
      { key: 'b,c', value: Buffer.from('d') },
    ],
  },
  { key: '0002000161', value: '006300' },
  { key: '00020005', value: '0003' },
  { key: '0002000161', value: '000300' },
  { key: '02', value: '00' },
  { key: '0000000161', value: '016300' },
  { key: '0000000161', value: '010c630100' },
  { key: '0000000161', value: '010c0004616161' },
  { key: '0000000161', value: '010200026100000000000000000000000000000000000099' },
  { key: null, value: null },
  { key: '0000002a', value: '0000000000000007' },
];

const EPOCHS = [
  { leaderEpoch: 0, offset: 0 },
  { leaderEpoch: 3, offset: 17 },
];
const SEGMENT = {
  topicIdPartition: { name: 'orders', id: 'aifr8DclSWmIoFsVwbCWTw', partition: 2 },
  id: 'Y28v7_t0RZGL0mYq2C2ssg',
};

function remoteRecords(): Buffer[] {
  const facts = {
    startOffset: 0,
    endOffset: 41,
    brokerId: 1,
    maxTimestampMs: TIME,
    eventTimestampMs: TIME + 1,
    segmentLeaderEpochs: EPOCHS,
    segmentSizeInBytes: 4096,
  };
  const framed = (key: number, bytes: Buffer): Buffer => Buffer.concat([Buffer.of(1, key, 0), bytes]);
  return [
    framed(0, encode(remoteLogSegmentMetadataRecord, 0, { ...facts, remoteLogSegmentId: SEGMENT, remoteLogSegmentState: 0 })),
    framed(
      0,
      encode(remoteLogSegmentMetadataRecord, 0, {
        ...facts,
        remoteLogSegmentId: SEGMENT,
        remoteLogSegmentState: 1,
        customMetadata: Buffer.from('xyz'),
        txnIndexEmpty: true,
      }),
    ),
    framed(
      1,
      encode(remoteLogSegmentMetadataUpdateRecord, 0, {
        remoteLogSegmentId: SEGMENT,
        brokerId: 1,
        eventTimestampMs: TIME,
        remoteLogSegmentState: 2,
      }),
    ),
    framed(
      1,
      encode(remoteLogSegmentMetadataUpdateRecord, 0, {
        remoteLogSegmentId: SEGMENT,
        brokerId: 1,
        eventTimestampMs: TIME,
        remoteLogSegmentState: 4,
        customMetadata: Buffer.alloc(0),
      }),
    ),
    framed(
      2,
      encode(remotePartitionDeleteMetadataRecord, 0, {
        topicIdPartition: SEGMENT.topicIdPartition,
        brokerId: 1,
        eventTimestampMs: TIME,
        remotePartitionDeleteState: 1,
      }),
    ),
    framed(3, encode(remoteLogSegmentMetadataSnapshotRecord, 0, { ...facts, segmentId: SEGMENT.id, remoteLogSegmentState: 3 })),
    framed(
      0,
      encode(remoteLogSegmentMetadataRecord, 0, {
        ...facts,
        remoteLogSegmentId: SEGMENT,
        remoteLogSegmentState: 0,
        segmentLeaderEpochs: [],
      }),
    ),
    framed(
      1,
      encode(remoteLogSegmentMetadataUpdateRecord, 0, {
        remoteLogSegmentId: SEGMENT,
        brokerId: 1,
        eventTimestampMs: TIME,
        remoteLogSegmentState: 9,
      }),
    ),
    framed(9, Buffer.alloc(0)),
  ];
}

const TIME = 1_700_000_000_000;

const bytesOf = ({ prefix, hex }: MessageVector): Buffer => Buffer.from(prefix + hex, 'hex');

/** Keys with values of their kind in turn, each key once more with a tombstone. */
function keyedRecords(vectors: readonly MessageVector[]): { timestamp: number; key: Buffer; value: Buffer | null }[] {
  const kindOf = (vector: MessageVector): string => vector.schema.replace(/(?:Key|Value)$/, '');
  const values = Map.groupBy(
    vectors.filter((vector) => vector.type === 'value'),
    kindOf,
  );
  const keys = vectors.filter((vector) => vector.type === 'key');
  return [...Map.groupBy(keys, kindOf)].flatMap(([kind, ofKind]) => {
    const ofValues = values.get(kind) ?? [];
    return Array.from({ length: Math.max(ofKind.length, ofValues.length) + 1 }, (_, index) => {
      const value = ofValues[index];
      return {
        timestamp: TIME,
        key: bytesOf(ofKind[index % ofKind.length] as MessageVector),
        value: value === undefined ? null : bytesOf(value),
      };
    });
  });
}

const batchOf = (records: Parameters<typeof buildBatch>[0]['records'], baseOffset: number): Buffer =>
  buildBatch({ records, baseOffset, partitionLeaderEpoch: 0 });

function writeLog(root: string, name: string, bytes: Buffer): void {
  mkdirSync(join(root, name), { recursive: true });
  writeFileSync(join(root, name, FIRST_LOG), bytes);
}

/** Files below `root` whose path matches, in order of name. */
export function filesMatching(root: string, pattern: RegExp): string[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((path) => pattern.test(path))
    .sort();
}

/** The runs that are compared: each kind of file with each option that changes what is printed of it. */
export function dumpLogCases(root: string): DumpLogCase[] {
  const cases: DumpLogCase[] = [];
  const add = (name: string, pattern: RegExp, ...options: string[]): void => {
    const files = filesMatching(root, pattern);
    if (files.length === 0) throw new Error(`no file for ${name}`);
    cases.push({ name, args: ['--files', files.join(','), ...options] });
  };
  const userLogs = /^(plain|transactions|compacted|leader-epochs)\/(?!__).*\.log$/;
  add('user logs', userLogs);
  add('user logs, deep', userLogs, '--deep-iteration');
  add('user logs, data', userLogs, '--print-data-log');
  add('user logs, deep and data', /^(plain|transactions-v0|compacted)\/(?!__).*\.log$/, '--deep-iteration', '--print-data-log');
  add('user logs without record metadata', /^transactions\/(?!__).*\.log$/, '--print-data-log', '--skip-record-metadata');
  add('the first bytes', /^plain\/plain-0\/0*\.log$/, '--max-bytes', '3000', '--deep-iteration');
  add('deleted files', /\.deleted$/);
  for (const kind of ['index', 'timeindex']) {
    const pattern = new RegExp(`^(plain|transactions|compacted|groups)/.*\\.${kind}$`);
    add(`${kind} files`, pattern);
    add(`${kind} files, sanity`, pattern, '--index-sanity-check');
    add(`${kind} files, verified`, pattern, '--verify-index-only');
    add(`preallocated ${kind} files`, new RegExp(`^unclean/plain-0/.*\\.${kind}$`));
    add(`wrong ${kind} files`, new RegExp(`^damaged/indexes/.*\\.${kind}$`));
    add(`wrong ${kind} files, verified`, new RegExp(`^damaged/indexes/.*\\.${kind}$`), '--verify-index-only');
    add(`an empty ${kind}`, new RegExp(`^damaged/empty/.*\\.${kind}$`));
    add(`a cut ${kind}`, new RegExp(`^damaged/index-size/.*\\.${kind}$`));
    add(`a cut ${kind}, sanity`, new RegExp(`^damaged/index-size/.*\\.${kind}$`), '--index-sanity-check');
  }
  add('transaction indexes', /^(plain|transactions|compacted|unclean).*\.txnindex$/);
  add('producer snapshots', /^(plain|transactions|compacted|groups)\/.*\.snapshot$/);
  add('a producer snapshot with a wrong checksum', /^damaged\/snapshots\/.*5\.snapshot$/);
  add('a producer snapshot that is too short', /^damaged\/snapshots\/.*6\.snapshot$/);
  add('a transaction index that is cut', /^damaged\/transactions\/.*\.txnindex$/);
  add('metadata logs', /^(plain|metadata-v1)\/__cluster_metadata-0\/.*\.log$/, '--cluster-metadata-decoder');
  add(
    'metadata log of the old kraft version',
    /^metadata-v0\/__cluster_metadata-0\/0*1\d*\.log$/,
    '--cluster-metadata-decoder',
    '--skip-record-metadata',
  );
  add('metadata snapshots', /^(plain|metadata-v1)\/__cluster_metadata-0\/.*\.checkpoint$/, '--cluster-metadata-decoder');
  add('group logs', /^(groups|transactions)\/__consumer_offsets-\d\/.*\.log$/, '--offsets-decoder');
  add('transaction logs', /^(transactions|groups)\/__transaction_state-\d\/.*\.log$/, '--transaction-log-decoder');
  add('share logs', /^groups\/__share_group_state-\d\/.*\.log$/, '--share-group-state-decoder');
  add(
    'vectors of metadata records',
    /^vectors\/metadata-records\/.*\.log$/,
    '--cluster-metadata-decoder',
    '--skip-record-metadata',
  );
  add('vectors of group records', /^vectors\/group-coordinator\/.*\.log$/, '--offsets-decoder', '--skip-record-metadata');
  add(
    'vectors of transaction records',
    /^vectors\/transaction-coordinator\/.*\.log$/,
    '--transaction-log-decoder',
    '--skip-record-metadata',
  );
  add(
    'vectors of share records',
    /^vectors\/share-coordinator\/.*\.log$/,
    '--share-group-state-decoder',
    '--skip-record-metadata',
  );
  add('remote log records', /^remote\/.*\.log$/, '--remote-log-metadata-decoder', '--skip-record-metadata');
  for (const decoder of ['cluster-metadata', 'offsets', 'transaction-log', 'share-group-state', 'remote-log-metadata']) {
    for (const odd of ODD_RECORDS.keys())
      add(`odd record ${odd}, ${decoder}`, new RegExp(`^odd/${odd}/.*\\.log$`), `--${decoder}-decoder`);
  }
  add('odd records, no decoder', /^odd\/.*\.log$/, '--print-data-log');
  add(
    'decoders of keys and values',
    /^odd\/14\/.*\.log$/,
    '--print-data-log',
    '--key-decoder-class',
    'org.apache.kafka.tools.api.IntegerDecoder',
    '--value-decoder-class',
    'org.apache.kafka.tools.api.LongDecoder',
  );
  const batches = new Set(filesMatching(root, /^batches\/.*\.log$/).map((path) => path.split('/')[1] ?? ''));
  const legacy = [...batches].filter((name) => name.startsWith('legacy'));
  const unsafe = new Set(['unsafe-producer-id', 'unsafe-base-offset', ...legacy]);
  const control = /^(leader-change|snapshot|kraft|voters|end-txn)/;
  // Java and Node put different numbers of replacement characters for noise that is no UTF-8.
  const plain = [...batches].filter((name) => !unsafe.has(name) && !control.test(name) && !name.startsWith('noise'));
  add('batch vectors', new RegExp(`^batches/(${plain.join('|')})/`), '--deep-iteration', '--print-data-log');
  add(
    'control vectors',
    /^batches\/(leader-change|snapshot|kraft|voters|end-txn)[^/]*\//,
    '--deep-iteration',
    '--print-data-log',
  );
  for (const name of legacy) add(`batch vector ${name}`, new RegExp(`^batches/${name}/`), '--deep-iteration', '--print-data-log');
  for (const { name } of readGolden('records/broken-batches.json.gz') as RecordVector[]) {
    add(`broken batch ${name}`, new RegExp(`^broken-batches/${name}/`), '--deep-iteration', '--print-data-log');
  }
  for (const name of ['torn', 'flipped', 'zeros', 'empty']) {
    add(`${name} log`, new RegExp(`^damaged/${name}/.*\\.log$`));
    add(`${name} log, deep`, new RegExp(`^damaged/${name}/.*\\.log$`), '--deep-iteration');
  }
  add('other files', /^plain\/(meta\.properties|plain-0\/partition\.metadata)$/);
  cases.push({ name: 'a missing file', args: ['--files', 'plain/missing.log'] });
  cases.push({ name: 'a missing index', args: ['--files', 'plain/00000000000000000000.index'] });
  return cases;
}
