import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createTopic } from '../../src/client/admin-topics.ts';
import { nodeDisk } from '../../src/platform/node-disk.ts';
import { readOffsetCheckpoint, RECOVERY_POINT_CHECKPOINT } from '../../src/storage/offset-checkpoint.ts';
import { SimulatedRandom } from '../../simulation/simulated-random.ts';
import { audit } from './audit.ts';
import { checkDirectory, type DirectoryFacts } from './directory-check.ts';
import { Ledger } from './ledger.ts';
import { LoadProducer } from './load.ts';
import { movingClient } from './moving-client.ts';
import { MovingNetwork } from './moving-network.ts';
import { NodeProcess } from './node-process.ts';
import { between } from './sequenced-value.ts';

export interface StopOptions {
  readonly seed: number;
  readonly rounds: number;
  /** Made, and gone again when all is well. */
  readonly directory: string;
  readonly isBuilt?: boolean;
}

export interface StopRound {
  /** From SIGTERM until the process is gone. */
  readonly stopMs: number;
  /** From the spawning of the next process until the leaders are known. */
  readonly startMs: number;
  /** What the process had read from files by then, its own program among it; null where the system does not tell. */
  readonly bytesReadAtStart: number | null;
  readonly bytesOnDisk: number;
}

const TOPICS = [{ name: 'stopped', partitions: 4 }];
const STOP_AFTER_MS = [100, 600] as const;
const PRODUCERS = 3;
/** What a start may read besides its own program: indexes, checkpoints, the metadata log. */
const READ_AT_START_MAX = 1024 * 1024;

/** Stops a node in order under load, again and again. Throws when it leaves anything to recover or breaks a promise. */
export async function runStopRounds({ seed, rounds, directory, isBuilt = false }: StopOptions): Promise<StopRound[]> {
  const random = new SimulatedRandom(seed);
  const network = new MovingNetwork();
  const client = movingClient(network);
  const ledger = new Ledger();
  const producers = Array.from(
    { length: PRODUCERS },
    (_, index) => new LoadProducer(client, { index, acks: 'all', topics: TOPICS, random: random.fork(), ledger }),
  );
  const idempotent = new Set(producers.map(({ index }) => index));
  const results: StopRound[] = [];
  mkdirSync(directory, { recursive: true });
  let node = new NodeProcess({ directory, isBuilt });
  try {
    network.port = await node.ready();
    const programBytes = node.bytesRead ?? Infinity;
    for (const { name, partitions } of TOPICS) await createTopic(client, { name, partitions });
    for (let round = 0; round < rounds; round++) {
      await Promise.all(producers.map((producer) => producer.run()));
      const stopMs = await stopAfter(between(random, ...STOP_AFTER_MS), node, network);
      const facts = checkDirectory(directory);
      checkStopped(directory, facts);
      node = new NodeProcess({ directory, isBuilt });
      const startMs = await node.leadersKnown(TOPICS.map(({ name }) => name));
      const { bytesRead: bytesReadAtStart } = node;
      if ((bytesReadAtStart ?? 0) > programBytes + READ_AT_START_MAX) {
        throw new Error(`the start read ${bytesReadAtStart} bytes, though nothing was to be recovered`);
      }
      network.port = node.port;
      results.push({ stopMs, startMs, bytesReadAtStart, bytesOnDisk: facts.bytes });
      await Promise.all(producers.map((producer) => producer.pause()));
      for (const { failure } of producers) if (failure !== null) throw failure;
      await audit({ client, ledger, topics: TOPICS, idempotent });
    }
    for (const producer of producers) await producer.close();
  } finally {
    client.close();
    await node.kill();
  }
  rmSync(directory, { recursive: true, force: true });
  return results;
}

/** Requests that come while it stops are refused or cut, and come again to the next process. */
function stopAfter(delayMs: number, node: NodeProcess, network: MovingNetwork): Promise<number> {
  return new Promise((resolve, reject) => {
    setTimeout(() => {
      const stopping = node.stop();
      network.port = null;
      stopping.then(resolve, reject);
    }, delayMs);
  });
}

/** The marker of an orderly stop is there, and every log is durable up to its end. */
function checkStopped(directory: string, { ends }: DirectoryFacts): void {
  if (!existsSync(join(directory, '.kafka_cleanshutdown'))) throw new Error(`${directory} was not stopped in order`);
  const durable = readOffsetCheckpoint(nodeDisk, join(directory, RECOVERY_POINT_CHECKPOINT));
  for (const { name, partitions } of TOPICS) {
    for (let partition = 0; partition < partitions; partition++) {
      const key = `${name}-${partition}`;
      if (durable.get(key) !== ends.get(key)) {
        throw new Error(`${key} ends at ${ends.get(key)}, but its recovery point is ${durable.get(key)}`);
      }
    }
  }
}
