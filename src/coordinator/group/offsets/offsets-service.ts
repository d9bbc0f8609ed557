import type { TransactionalAppend } from '../../../storage/producer-state-manager.ts';
import { KafkaError } from '../../../protocol/errors.ts';
import { coordinatorError } from '../../runtime/coordinator-errors.ts';
import type { GroupCoordinator } from '../group-coordinator.ts';
import type {
  FetchedOffsets,
  OffsetCommitRequest,
  OffsetDeleteRequest,
  OffsetFetchRequest,
  TopicOutcomes,
  TxnOffsetCommitRequest,
} from './offset-requests.ts';

/** Consumers before 3.9 do not try again when they are told these; but they do look for another coordinator. */
const NOT_KNOWN_TO_FETCHERS: ReadonlySet<string> = new Set([
  'UNKNOWN_TOPIC_OR_PARTITION',
  'NOT_ENOUGH_REPLICAS',
  'REQUEST_TIMED_OUT',
]);

/** Offsets of groups, wherever on this broker the group is kept. Everything rejects with the KafkaError that the client is told. */
export class OffsetsService {
  readonly #coordinator: GroupCoordinator;

  constructor(coordinator: GroupCoordinator) {
    this.#coordinator = coordinator;
  }

  /** Resolves when the offsets are committed. */
  commit(request: OffsetCommitRequest, apiVersion: number): Promise<readonly TopicOutcomes[]> {
    return this.#coordinator.runtime
      .write(this.#partitionOf(request), ({ offsets }) => offsets.commit(request, apiVersion))
      .catch(refuse);
  }

  /** Resolves when the offsets are written as part of the transaction. */
  async commitInTransaction(
    request: TxnOffsetCommitRequest,
    apiVersion: number,
    transactional: TransactionalAppend,
  ): Promise<readonly TopicOutcomes[]> {
    if (request.groupId === '') throw new KafkaError('INVALID_GROUP_ID');
    return this.#coordinator.runtime
      .writeTransactional(this.#partitionOf(request), { ...request, transactional }, ({ offsets }) =>
        offsets.commitInTransaction(request, apiVersion),
      )
      .catch(refuse);
  }

  /** At once, unless everything that is written now has to be committed first. */
  async fetch(request: OffsetFetchRequest, requireStable: boolean): Promise<readonly FetchedOffsets[]> {
    const { runtime } = this.#coordinator;
    const partition = this.#partitionOf(request);
    if (!requireStable) return runtime.read(partition, ({ offsets }, committedOffset) => offsets.fetch(request, committedOffset));
    const operation = runtime.write(partition, ({ offsets }) => ({ records: [], response: offsets.fetchStable(request) }));
    return operation.catch((error: unknown) => {
      const isUnknown = error instanceof KafkaError && NOT_KNOWN_TO_FETCHERS.has(error.errorName);
      throw isUnknown ? new KafkaError('NOT_COORDINATOR') : coordinatorError(error);
    });
  }

  async delete(request: OffsetDeleteRequest): Promise<readonly TopicOutcomes[]> {
    if (request.groupId === '') throw new KafkaError('INVALID_GROUP_ID');
    return this.#coordinator.runtime.write(this.#partitionOf(request), ({ offsets }) => offsets.delete(request)).catch(refuse);
  }

  #partitionOf({ groupId }: { readonly groupId: string }): number {
    return this.#coordinator.partitionOf(groupId);
  }
}

const refuse = (error: unknown): never => {
  throw coordinatorError(error);
};
