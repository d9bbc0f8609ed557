import {
  closeSync,
  cpSync,
  ftruncateSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import { gunzipSync } from 'node:zlib';
import type { Logger, LogFacts } from '../../src/base/logger.ts';
import { silentLogger } from '../../src/base/logger.ts';
import { nodeDisk } from '../../src/platform/node-disk.ts';
import type { SimulatedEnvironment } from '../../simulation/simulated-environment.ts';
import { simulatedEnvironment } from '../../simulation/simulated-environment.ts';
import { SimulatedClock } from '../../simulation/simulated-clock.ts';
import type { Environment } from '../../src/base/environment.ts';
import { defaultLogConfig, type LogConfig } from '../../src/storage/log-configs.ts';
import { readGolden } from '../golden.ts';
import { tarEntries } from './tar.ts';

/** What must be found in a batch of a fixture. */
export interface ExpectedBatch {
  readonly position: number;
  readonly size: number;
  readonly baseOffset: number;
  readonly lastOffset: number;
  readonly leaderEpoch: number;
  readonly crc: number;
  readonly attributes: number;
  readonly codec: string;
  readonly baseTimestamp: number;
  readonly maxTimestamp: number;
  readonly producerId: number;
  readonly producerEpoch: number;
  readonly baseSequence: number;
  readonly count: number;
}

export interface ExpectedSegment {
  readonly baseOffset: number;
  readonly logBytes: number;
  readonly validBytes: number;
  readonly batchCount: number;
  readonly batches: readonly ExpectedBatch[];
  readonly offsetIndex: readonly (readonly [number, number])[];
  readonly timeIndex: readonly (readonly [number, number])[];
  readonly transactionIndex?: readonly {
    readonly producerId: number;
    readonly firstOffset: number;
    readonly lastOffset: number;
    readonly lastStableOffset: number;
  }[];
}

export interface ExpectedSnapshotEntry {
  readonly producerId: number;
  readonly epoch: number;
  readonly lastSequence: number;
  readonly lastOffset: number;
  readonly offsetDelta: number;
  readonly timestamp: number;
  readonly coordinatorEpoch: number;
  readonly currentTxnFirstOffset: number;
}

export interface ExpectedPartition {
  readonly topicId: string;
  readonly leaderEpochs: readonly (readonly [number, number])[];
  readonly logStartOffset: number;
  readonly logEndOffset: number;
  readonly highWatermarkCheckpoint: number | null;
  readonly recoveryPoint: number | null;
  readonly lastStableOffset: number;
  readonly openTransactions: Readonly<Record<string, number>>;
  readonly segments: readonly ExpectedSegment[];
  readonly producerSnapshots: readonly {
    readonly file: string;
    readonly crc: number;
    readonly producerEntries: readonly ExpectedSnapshotEntry[];
  }[];
}

export interface ExpectedRead {
  readonly count: number;
  readonly position: number;
  readonly lastOffset: number;
  readonly sha256: string;
}

export interface ExpectedClientPartition {
  readonly earliest: { readonly offset: number };
  readonly latest: { readonly offset: number };
  readonly latestReadCommitted: { readonly offset: number };
  readonly maxTimestamp: { readonly offset: number; readonly timestamp: number };
  readonly read_uncommitted?: ExpectedRead;
  readonly read_committed?: ExpectedRead;
}

interface ClientView {
  readonly topics: Readonly<Record<string, { readonly partitions: Readonly<Record<string, ExpectedClientPartition>> }>>;
}

export interface ExpectedFixture {
  readonly cleanShutdown: boolean;
  readonly takenAtMs: number;
  readonly files: Readonly<Record<string, number>>;
  readonly textFiles: Readonly<Record<string, string>>;
  readonly partitions: Readonly<Record<string, ExpectedPartition>>;
  readonly afterStart: { readonly client: ClientView };
}

type DamageOperation =
  | { readonly op: 'truncate'; readonly file: string; readonly to: number }
  | { readonly op: 'xor'; readonly file: string; readonly at: number; readonly with: number }
  | { readonly op: 'append-zeros'; readonly file: string; readonly bytes: number }
  | { readonly op: 'delete'; readonly file: string }
  | { readonly op: 'write'; readonly file: string; readonly hex: string }
  | { readonly op: 'copy' | 'copy-dir'; readonly from: string; readonly file: string };

export interface Variant {
  readonly name: string;
  readonly base: string;
  readonly ops: readonly DamageOperation[];
  readonly started: boolean;
  readonly client?: ClientView;
  readonly disk?: { readonly textFiles: Readonly<Record<string, string>>; readonly files: Readonly<Record<string, number>> };
}

export const expectedOf = (fixture: string): ExpectedFixture => readGolden(`disk/${fixture}.expected.json.gz`) as ExpectedFixture;

export const allVariants = (): readonly Variant[] => readGolden('disk/variants.json.gz') as readonly Variant[];

/** The configs that the fixtures' topics were made with, as far as storage goes by them. */
export function fixtureConfig(topic: string): LogConfig {
  const config = { ...defaultLogConfig, retentionMs: -1 };
  if (topic.startsWith('__') || topic.startsWith('names-')) return config;
  const segmentBytes = SEGMENT_BYTES[topic] ?? defaultLogConfig.segmentBytes;
  const messageTimestampType = topic === 'append-time' ? 'LogAppendTime' : 'CreateTime';
  return { ...config, segmentBytes, indexIntervalBytes: 256, messageTimestampType };
}

const SEGMENT_BYTES: Readonly<Record<string, number>> = {
  plain: 8192,
  trimmed: 4096,
  'txn-a': 2048,
  'txn-b': 4096,
  epochs: 4096,
};

/** A copy of a data directory that Kafka wrote, removed when the test ends. */
export function unpackFixture(context: TestContext, fixture: string): string {
  const root = temporaryDirectory(context);
  const archive = gunzipSync(readFileSync(new URL(`../golden/disk/${fixture}.tar.gz`, import.meta.url)));
  for (const entry of tarEntries(archive)) {
    const path = join(root, entry.name);
    if (entry.bytes === null) {
      mkdirSync(path, { recursive: true });
      continue;
    }
    mkdirSync(dirname(path), { recursive: true });
    const file = openSync(path, 'w');
    for (const part of entry.parts) writeSync(file, part.bytes, 0, part.bytes.length, part.position);
    ftruncateSync(file, entry.size);
    closeSync(file);
  }
  return join(root, fixture);
}

export function temporaryDirectory(context: TestContext): string {
  const root = mkdtempSync(join(tmpdir(), 'ottla-storage-'));
  context.after(() => rmSync(root, { recursive: true, force: true }));
  return root;
}

/** Damages a copy of a fixture as a variant says. */
export function applyDamage(directory: string, operations: readonly DamageOperation[]): void {
  for (const operation of operations) {
    const path = join(directory, operation.file);
    switch (operation.op) {
      case 'truncate':
      case 'append-zeros': {
        const file = openSync(path, 'r+');
        const size = readFileSync(path).length;
        ftruncateSync(file, operation.op === 'truncate' ? operation.to : size + operation.bytes);
        closeSync(file);
        break;
      }
      case 'xor': {
        const bytes = readFileSync(path);
        bytes[operation.at] = (bytes[operation.at] ?? 0) ^ operation.with;
        writeFileSync(path, bytes);
        break;
      }
      case 'delete':
        rmSync(path);
        break;
      case 'write':
        writeFileSync(path, Buffer.from(operation.hex, 'hex'));
        break;
      default:
        cpSync(join(directory, operation.from), path, { recursive: true });
    }
  }
}

/** A log line that was written. */
export interface LogLine {
  readonly level: 'error' | 'warn';
  readonly message: string;
  readonly facts: LogFacts;
}

/** Moved by hand, except that it gives other work its turn by itself. */
class FixtureClock extends SimulatedClock {
  override defer(callback: () => void): void {
    setImmediate(callback);
  }
}

/** The real disk, a simulated clock, and what was logged. */
export function fixtureEnvironment(nowMs: number): {
  readonly environment: Environment;
  readonly clock: SimulatedClock;
  readonly lines: LogLine[];
} {
  const lines: LogLine[] = [];
  const logger: Logger = {
    ...silentLogger,
    error: (message, facts = {}) => void lines.push({ level: 'error', message, facts }),
    warn: (message, facts = {}) => void lines.push({ level: 'warn', message, facts }),
    named: () => logger,
  };
  const clock = new FixtureClock(undefined, nowMs);
  const simulated: SimulatedEnvironment = simulatedEnvironment({ clock, logger });
  return { environment: { ...simulated, disk: nodeDisk }, clock, lines };
}
