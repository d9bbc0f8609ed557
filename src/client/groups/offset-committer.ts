import type { Millis } from '../../base/clock.ts';
import { type ErrorName, KafkaError } from '../../protocol/errors.ts';
import { Backoff } from '../backoff.ts';
import type { Client } from '../client.ts';
import { keyOf, type TopicPartition } from '../topic-partition.ts';
import type { GroupCoordinator } from './group-coordinator.ts';
import { type GroupOffsets, type OffsetToCommit, requestCommit, requestOffsets } from './group-offsets.ts';
import type { MemberIdentity } from './membership.ts';

interface CommitterContext {
  readonly client: Client;
  readonly coordinator: GroupCoordinator;
  /** As it is when a request is sent: epochs move on while an earlier one is under way. */
  readonly identity: () => MemberIdentity;
}

/** Commits and fetches the offsets of a member's group, through everything that passes by itself. */
export class OffsetCommitter {
  readonly #client: Client;
  readonly #coordinator: GroupCoordinator;
  readonly #identity: () => MemberIdentity;
  /** By key, what the coordinator is known to have. */
  readonly #committed = new Map<string, number>();

  constructor({ client, coordinator, identity }: CommitterContext) {
    this.#client = client;
    this.#coordinator = coordinator;
    this.#identity = identity;
  }

  /** Throws KafkaError if the group does not take the offsets, and what stopped it where it cannot be reached in time. */
  async commit(offsets: readonly OffsetToCommit[], timeoutMs: Millis = this.#client.settings.operationTimeoutMs): Promise<void> {
    if (offsets.length === 0) return;
    await this.#retrying(timeoutMs, async () => {
      const errors = await requestCommit(await this.#coordinator.connection(), {
        groupId: this.#coordinator.groupId,
        identity: this.#identity(),
        offsets,
        metadata: this.#client.metadata,
      });
      for (const offset of offsets) if (!errors.has(keyOf(offset))) this.#committed.set(keyOf(offset), offset.offset);
      for (const [key, error] of errors)
        throw new KafkaError(error, `${key.replace('/', '-')}: ${new KafkaError(error).message}`);
    });
  }

  /** Those that the coordinator does not have yet. */
  unknown(offsets: readonly OffsetToCommit[]): OffsetToCommit[] {
    return offsets.filter((offset) => this.#committed.get(keyOf(offset)) !== offset.offset);
  }

  /** What the group has committed of these partitions. */
  async fetch(places: readonly TopicPartition[], requireStable: boolean): Promise<GroupOffsets> {
    if (places.length === 0) return new Map();
    const { groupId } = this.#coordinator;
    return await this.#retrying(this.#client.settings.operationTimeoutMs, async () => {
      const connection = await this.#coordinator.connection();
      const question = { groupId, identity: this.#identity(), places };
      const answers = await requestOffsets(connection, [question], { requireStable, metadata: this.#client.metadata });
      const offsets = answers.get(groupId) ?? new KafkaError('UNKNOWN_SERVER_ERROR');
      if (offsets instanceof KafkaError) throw offsets;
      for (const place of places) this.#committed.delete(keyOf(place));
      for (const [key, { offset }] of offsets) this.#committed.set(key, offset);
      return offsets;
    });
  }

  async #retrying<T>(timeoutMs: Millis, action: () => Promise<T>): Promise<T> {
    const { clock, random } = this.#client.environment;
    const backoff = new Backoff(random, this.#client.settings.retryBackoffMs, this.#client.settings.retryBackoffMaxMs);
    const deadline = clock.monotonic() + timeoutMs;
    for (;;) {
      const { epoch } = this.#identity();
      try {
        return await this.#coordinator.retrying(action, Math.max(0, deadline - clock.monotonic()));
      } catch (error) {
        const pause = backoff.next();
        const mayChange = error instanceof KafkaError && EPOCH_ERRORS.has(error.errorName) && this.#identity().epoch !== -1;
        // The member's next heartbeat brings the epoch that is missing.
        if (!mayChange || clock.monotonic() + pause >= deadline) throw error;
        if (this.#identity().epoch === epoch) await this.#client.sleep(pause);
      }
    }
  }
}

/** The member is in the group, but in another epoch than its request said. */
const EPOCH_ERRORS: ReadonlySet<ErrorName> = new Set(['STALE_MEMBER_EPOCH']);
