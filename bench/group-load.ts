import { RequestSender } from '../src/network/request-sender.ts';
import { nodeNetwork } from '../src/platform/node-network.ts';
import { systemClock } from '../src/platform/system-clock.ts';
import { offsetCommit } from '../src/protocol/messages/08-offset-commit.ts';
import { offsetFetch } from '../src/protocol/messages/09-offset-fetch.ts';
import { findCoordinator } from '../src/protocol/messages/10-find-coordinator.ts';
import { createTopics } from '../src/protocol/messages/19-create-topics.ts';
import { ZERO_UUID } from '../src/base/uuid.ts';
import { pause } from './pause.ts';

export const GROUPS = 1000;
export const OFFSETS_PER_GROUP = 100;
const TOPIC = 'orders';
const REQUESTS_IN_FLIGHT = 20;
const RETRY_MS = 5;

const groupIds = Array.from({ length: GROUPS }, (_, index) => `group-${index}`);
const partitions = Array.from({ length: OFFSETS_PER_GROUP }, (_, index) => index);

/** Asks a broker for a thousand groups' offsets, and has it keep them. */
export class GroupLoad {
  readonly #sender: RequestSender;

  private constructor(sender: RequestSender) {
    this.#sender = sender;
  }

  static async open(port: number): Promise<GroupLoad> {
    const options = { clientId: 'load', requestTimeoutMs: 60_000, connectTimeoutMs: 5000 };
    return new GroupLoad(
      await RequestSender.connect({ host: '127.0.0.1', port }, { network: nodeNetwork, clock: systemClock, ...options }),
    );
  }

  /** The topic that is consumed, and that of the groups; resolves when all groups are served. */
  async createTopics(): Promise<void> {
    const topic = { name: TOPIC, numPartitions: OFFSETS_PER_GROUP, replicationFactor: 1, assignments: [], configs: [] };
    await this.#sender.send(createTopics, 7, { topics: [topic], timeoutMs: 10_000, validateOnly: false });
    await this.#until(async () => {
      const { coordinators } = await this.#sender.send(findCoordinator, 4, { key: '', keyType: 0, coordinatorKeys: ['g'] });
      return coordinators.every(({ errorCode }) => errorCode === 0);
    });
    await this.#until(async () => (await this.#fetch(groupIds)).every(({ errorCode }) => errorCode === 0));
  }

  /** Commits an offset for each partition and group. */
  async commitAll(round: number): Promise<void> {
    const waiting = groupIds.values();
    const work = async (): Promise<void> => {
      for (const groupId of waiting) await this.#commit(groupId, round);
    };
    await Promise.all(Array.from({ length: REQUESTS_IN_FLIGHT }, work));
  }

  /** Resolves when all offsets of the round can be fetched. */
  async fetchAll(round: number): Promise<void> {
    for (let at = 0; at < GROUPS; at += OFFSETS_PER_GROUP) {
      const ids = groupIds.slice(at, at + OFFSETS_PER_GROUP);
      await this.#until(async () => {
        const groups = await this.#fetch(ids);
        return groups.every(({ errorCode, topics }) => {
          const offsets = topics.flatMap((topic) => topic.partitions.map(({ committedOffset }) => committedOffset));
          if (errorCode === 0 && (offsets.length !== OFFSETS_PER_GROUP || offsets.some((offset) => offset !== round)))
            throw new Error(`${offsets.length} offsets, not all of which are ${round}`);
          return errorCode === 0;
        });
      });
    }
  }

  close(): void {
    this.#sender.close();
  }

  async #commit(groupId: string, committedOffset: number): Promise<void> {
    const { topics } = await this.#sender.send(offsetCommit, 9, {
      groupId,
      generationIdOrMemberEpoch: -1,
      memberId: '',
      groupInstanceId: null,
      retentionTimeMs: -1,
      topics: [
        {
          name: TOPIC,
          topicId: ZERO_UUID,
          partitions: partitions.map((partitionIndex) => ({
            partitionIndex,
            committedOffset,
            committedLeaderEpoch: 0,
            committedMetadata: '',
          })),
        },
      ],
    });
    const wrong = topics.flatMap((topic) => topic.partitions).find(({ errorCode }) => errorCode !== 0);
    if (wrong !== undefined) throw new Error(`offsets of ${groupId} were not committed: ${wrong.errorCode}`);
  }

  async #fetch(ids: readonly string[]) {
    const groups = ids.map((groupId) => ({ groupId, memberId: null, memberEpoch: -1, topics: null }));
    return (await this.#sender.send(offsetFetch, 8, { groupId: '', topics: [], groups, requireStable: false })).groups;
  }

  async #until(isDone: () => Promise<boolean>): Promise<void> {
    while (!(await isDone())) await pause(RETRY_MS);
  }
}
