import type { Timer } from '../base/clock.ts';
import type { Environment } from '../base/environment.ts';
import type { Logger } from '../base/logger.ts';
import type { ControllerChannel } from '../broker/forwarding.ts';
import { codeOf, errorNameOf, KafkaError } from '../protocol/errors.ts';
import { assignReplicasToDirs } from '../protocol/messages/73-assign-replicas-to-dirs.ts';
import type { RequestOf, ResponseOf } from '../protocol/schema.ts';

const VERSION = 0;
/** Replicas in one request: the controller writes a record for each in one batch. */
const ASSIGNMENTS_PER_REQUEST = 2250;
const RETRY_MS = 500;

export interface Assignment {
  readonly topicId: string;
  readonly partition: number;
  readonly directoryId: string;
}

/**
 * Tells the controller in which log directory this broker has put which replica (KIP-858): what is chosen in one turn goes in one request, and the
 * latest choice for a replica counts. What the controller cannot be told now is told later.
 */
export class DirectoryAssignments {
  readonly #environment: Environment;
  readonly #options: DirectoryAssignmentsOptions;
  readonly #logger: Logger;
  readonly #pending = new Map<string, Assignment>();
  #isSending = false;
  #isClosed = false;
  #timer: Timer | null = null;

  constructor(environment: Environment, options: DirectoryAssignmentsOptions) {
    this.#environment = environment;
    this.#options = options;
    this.#logger = environment.logger.named('lifecycle');
  }

  add(assignment: Assignment): void {
    this.#pending.set(keyOf(assignment), assignment);
    if (!this.#isSending && this.#timer === null) this.#sendIn(0);
  }

  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
  }

  #sendIn(delayMs: number): void {
    if (this.#isClosed) return;
    this.#timer = this.#environment.clock.schedule(delayMs, () => {
      this.#timer = null;
      this.#isSending = true;
      this.#sendAll()
        .then(() => 0)
        .catch((error: unknown) => {
          this.#logger.debug('the controller was not told of log directories; trying again', { error: String(error) });
          return RETRY_MS;
        })
        .then((nextInMs) => {
          this.#isSending = false;
          if (this.#pending.size > 0) this.#sendIn(nextInMs);
        })
        .catch((error: unknown) => this.#logger.error('log directories cannot be told', { error }));
    });
  }

  async #sendAll(): Promise<void> {
    while (this.#pending.size > 0 && !this.#isClosed) {
      const batch = [...this.#pending.values()].slice(0, ASSIGNMENTS_PER_REQUEST);
      const { channel, brokerId, brokerEpoch } = this.#options;
      // A broker without an epoch is on its way to get one.
      if (brokerEpoch() === -1) throw new KafkaError('STALE_BROKER_EPOCH');
      const request = { brokerId, brokerEpoch: brokerEpoch(), directories: byDirectory(batch) };
      const response = await channel.send(assignReplicasToDirs, request, { version: VERSION });
      if (response.errorCode !== 0) throw new KafkaError(errorNameOf(response.errorCode));
      const refused = refusals(response);
      for (const assignment of batch) {
        const key = keyOf(assignment);
        // Another directory may have been chosen meanwhile; a replica that is gone from the metadata needs none.
        if (this.#pending.get(key) === assignment && !refused.has(key)) this.#pending.delete(key);
      }
      if (refused.size > 0) throw new KafkaError('UNKNOWN_SERVER_ERROR', `${refused.size} replicas were not assigned`);
    }
  }
}

export interface DirectoryAssignmentsOptions {
  readonly channel: ControllerChannel;
  readonly brokerId: number;
  /** −1 until the broker is registered. */
  readonly brokerEpoch: () => number;
}

const keyOf = ({ topicId, partition }: Assignment): string => `${topicId}-${partition}`;

type Directories = RequestOf<typeof assignReplicasToDirs>['directories'];

function byDirectory(assignments: readonly Assignment[]): Directories {
  return [...Map.groupBy(assignments, ({ directoryId }) => directoryId)].map(([id, ofDirectory]) => ({
    id,
    topics: [...Map.groupBy(ofDirectory, ({ topicId }) => topicId)].map(([topicId, ofTopic]) => ({
      topicId,
      partitions: ofTopic.map(({ partition: partitionIndex }) => ({ partitionIndex })),
    })),
  }));
}

/** What does not concern this broker any more; asking again would not help. */
const FINAL_ERRORS: ReadonlySet<number> = new Set(
  (['NONE', 'UNKNOWN_TOPIC_ID', 'UNKNOWN_TOPIC_OR_PARTITION', 'NOT_LEADER_OR_FOLLOWER'] as const).map(codeOf),
);

function refusals({ directories }: ResponseOf<typeof assignReplicasToDirs>): ReadonlySet<string> {
  const refused = new Set<string>();
  for (const { id, topics } of directories) {
    for (const { topicId, partitions } of topics) {
      for (const { partitionIndex: partition, errorCode } of partitions) {
        if (!FINAL_ERRORS.has(errorCode)) refused.add(keyOf({ topicId, partition, directoryId: id }));
      }
    }
  }
  return refused;
}
