import { codeOf, type ErrorName } from '../../../src/protocol/errors.ts';
import { offsetCommit } from '../../../src/protocol/messages/08-offset-commit.ts';
import { offsetFetch } from '../../../src/protocol/messages/09-offset-fetch.ts';
import { findCoordinator } from '../../../src/protocol/messages/10-find-coordinator.ts';
import type { RequestOf } from '../../../src/protocol/schema.ts';
import type { FakeCluster, FakeHandler } from '../fake-cluster.ts';

const FIRST_BATCHED_FIND = 4;
const FIRST_BATCHED_FETCH = 8;

type Context = Parameters<FakeHandler>[1];

/** Who may commit at the moment. */
export type CommitCheck = (memberId: string, epoch: number) => ErrorName | null;

/** The offsets of one group and the way to its coordinator, on a cluster in memory. */
export class FakeOffsets {
  readonly #cluster: FakeCluster;
  /** The node that coordinates; requests that come to another one are told so. */
  coordinator: number;
  check: CommitCheck = () => null;
  /** By `topic/partition`. */
  readonly committed = new Map<string, number>();
  /** All that was ever committed, in order. */
  readonly commits: { readonly key: string; readonly offset: number; readonly memberId: string }[] = [];

  constructor(cluster: FakeCluster) {
    this.#cluster = cluster;
    this.coordinator = cluster.nodes[0] ?? 1;
    cluster.handlers.set(findCoordinator.key, (request, context) =>
      this.#find(request as RequestOf<typeof findCoordinator>, context),
    );
    cluster.handlers.set(offsetCommit.key, (request, context) =>
      this.#commit(request as RequestOf<typeof offsetCommit>, this.errorAt(context)),
    );
    cluster.handlers.set(offsetFetch.key, (request, context) =>
      this.#fetch(request as RequestOf<typeof offsetFetch>, this.errorAt(context), context.version),
    );
  }

  /** What the node answers instead of doing anything. */
  errorAt({ node, error }: { readonly node: number; readonly error: ErrorName | null }): ErrorName | null {
    return error ?? (node === this.coordinator ? null : 'NOT_COORDINATOR');
  }

  #find({ key: only, coordinatorKeys }: RequestOf<typeof findCoordinator>, { error, version }: Context): unknown {
    const keys = version < FIRST_BATCHED_FIND ? [only] : coordinatorKeys;
    const coordinators = keys.map((key) =>
      error === null
        ? { key, nodeId: this.coordinator, host: `b${this.coordinator}`, port: 9092, errorMessage: null }
        : { key, nodeId: -1, host: '', port: -1, errorCode: codeOf(error), errorMessage: null },
    );
    return version < FIRST_BATCHED_FIND ? { ...coordinators[0], coordinators: [] } : { coordinators };
  }

  #name(name: string, id: string): string {
    return name === '' ? ([...this.#cluster.topics].find(([, topic]) => topic.id === id)?.[0] ?? '') : name;
  }

  #commit(request: RequestOf<typeof offsetCommit>, error: ErrorName | null): unknown {
    const { memberId, generationIdOrMemberEpoch } = request;
    const failure = error ?? this.check(memberId, generationIdOrMemberEpoch);
    return {
      topics: request.topics.map(({ name, topicId, partitions }) => ({
        name,
        topicId,
        partitions: partitions.map(({ partitionIndex, committedOffset: offset }) => {
          const key = `${this.#name(name, topicId)}/${partitionIndex}`;
          if (failure !== null) return { partitionIndex, errorCode: codeOf(failure) };
          this.committed.set(key, offset);
          this.commits.push({ key, offset, memberId });
          return { partitionIndex };
        }),
      })),
    };
  }

  #fetch({ groups, topics: only }: RequestOf<typeof offsetFetch>, error: ErrorName | null, version: number): unknown {
    const errorCode = error === null ? 0 : codeOf(error);
    if (version < FIRST_BATCHED_FETCH) {
      const topics = (only ?? []).map(({ name, partitionIndexes }) => ({
        name,
        partitions: this.#offsetsOf(name, partitionIndexes),
      }));
      return { topics, errorCode, groups: [] };
    }
    return {
      groups: groups.map(({ groupId, topics }) => ({
        groupId,
        errorCode,
        topics: (topics ?? []).map(({ name, topicId, partitionIndexes }) => ({
          name,
          topicId,
          partitions: this.#offsetsOf(this.#name(name, topicId), partitionIndexes),
        })),
      })),
    };
  }

  #offsetsOf(topic: string, partitions: readonly number[]): unknown[] {
    return partitions.map((partitionIndex) => ({
      partitionIndex,
      committedOffset: this.committed.get(`${topic}/${partitionIndex}`) ?? -1,
      metadata: '',
    }));
  }
}
