import { GROUP_TOPIC } from '../../coordinator/group/group-coordinator.ts';
import { mapInTurns, whenThere } from '../../base/turns.ts';
import { codeOf, type ErrorName, errorNameOf, KafkaError } from '../../protocol/errors.ts';
import { writeTxnMarkers } from '../../protocol/messages/27-write-txn-markers.ts';
import { buildEndTransactionMarker } from '../../protocol/records/control-record.ts';
import type { RequestOf, ResponseInput } from '../../protocol/schema.ts';
import { CLUSTER_NAME } from '../../security/authorizer.ts';
import type { BrokerServices } from '../broker-services.ts';
import { defineHandler, type Handler } from '../handler.ts';

type Request = RequestOf<typeof writeTxnMarkers>;
type Response = ResponseInput<typeof writeTxnMarkers>;
type Marker = Request['markers'][number];

/** What a coordinator of transactions is told instead: it looks for the leader of a partition, not for a coordinator. */
const toldToCoordinators: Partial<Record<ErrorName, ErrorName>> = {
  COORDINATOR_NOT_AVAILABLE: 'NOT_LEADER_OR_FOLLOWER',
  COORDINATOR_LOAD_IN_PROGRESS: 'NOT_LEADER_OR_FOLLOWER',
  NOT_COORDINATOR: 'NOT_LEADER_OR_FOLLOWER',
};

/**
 * WriteTxnMarkers v1-2: ends transactions in partitions that this broker leads. v2 says which version of transactions the producer speaks. Offsets that were committed in a
 * transaction belong to the group coordinator, which takes them over together with the marker.
 */
export const writeTxnMarkersHandler = (services: BrokerServices): Handler => {
  const handle = async (request: Request, context: Parameters<Handler['handle']>[1]): Promise<Response> => {
    const isAllowed =
      services.authorizer.isAllowed(context, 'CLUSTER_ACTION', 'CLUSTER', CLUSTER_NAME) ||
      services.authorizer.isAllowed(context, 'ALTER', 'CLUSTER', CLUSTER_NAME);
    if (!isAllowed) throw new KafkaError('CLUSTER_AUTHORIZATION_FAILED');
    // Partitions are answered: a marker for none is not.
    const wanted = request.markers.filter(({ topics }) => topics.some(({ partitionIndexes }) => partitionIndexes.length > 0));
    return { markers: await writeMarkers(services, wanted) };
  };
  return defineHandler<typeof writeTxnMarkers>({ api: writeTxnMarkers, handle, failed });
};

const failed = ({ markers }: Request, error: KafkaError): Response => ({
  markers: markers.map(({ producerId, topics }) => ({
    producerId,
    topics: topics.map(({ name, partitionIndexes }) => ({
      name,
      partitions: partitionIndexes.map((partitionIndex) => ({ partitionIndex, errorCode: error.code })),
    })),
  })),
});

interface Place {
  readonly marker: Marker;
  readonly topic: string;
  readonly partition: number;
}

/** In turns with the requests of others; nobody waits for a partition before the next one has its marker. */
const writeMarkers = async (services: BrokerServices, markers: readonly Marker[]): Promise<Response['markers']> => {
  const places = markers.flatMap((marker) =>
    marker.topics.flatMap(({ name: topic, partitionIndexes }) =>
      partitionIndexes.map((partition): Place => ({ marker, topic, partition })),
    ),
  );
  const writing = await mapInTurns(services.environment.clock, places, (place) => ({ written: writeInto(services, place) }));
  const errors = (await Promise.all(writing.map(({ written }) => written))).values();
  return markers.map(({ producerId, topics }) => ({
    producerId,
    topics: topics.map(({ name, partitionIndexes }) => ({
      name,
      partitions: partitionIndexes.map((partitionIndex) => ({
        partitionIndex,
        errorCode: codeOf(errors.next().value ?? 'UNKNOWN_SERVER_ERROR'),
      })),
    })),
  }));
};

const writeInto = async (services: BrokerServices, { topic, partition, marker }: Place): Promise<ErrorName> => {
  try {
    const replica = services.replicaManager.replicaOf(topic, partition);
    if (replica === undefined) return 'UNKNOWN_TOPIC_OR_PARTITION';
    if (marker.producerId < 0 || marker.producerEpoch < 0) return 'UNKNOWN_SERVER_ERROR';
    if (topic === GROUP_TOPIC) await endInGroups(services, partition, marker);
    else return await append(services, replica, marker);
    return 'NONE';
  } catch (error) {
    if (!(error instanceof KafkaError)) throw error;
    return toldToCoordinators[error.errorName] ?? error.errorName;
  }
};

const endInGroups = ({ groupCoordinator }: BrokerServices, partition: number, marker: Marker): Promise<void> =>
  groupCoordinator.runtime.endTransaction(partition, { ...marker, outcome: marker.transactionResult ? 'commit' : 'abort' });

const append = (
  { replicaManager, environment, configs }: BrokerServices,
  partition: NonNullable<ReturnType<BrokerServices['replicaManager']['replicaOf']>>,
  marker: Marker,
): ErrorName | Promise<ErrorName> => {
  const { transactionResult, producerId, producerEpoch, coordinatorEpoch, transactionVersion } = marker;
  const records = buildEndTransactionMarker({
    outcome: transactionResult ? 'COMMIT' : 'ABORT',
    producerId,
    producerEpoch,
    coordinatorEpoch,
    timestamp: environment.clock.now(),
  });
  const options = { acks: -1, origin: 'coordinator', timeoutMs: configs.broker()['request.timeout.ms'] } as const;
  return whenThere(
    replicaManager.append([{ partition, records, transactional: { transactionVersion } }], options),
    ([outcome]) => (outcome === undefined ? 'UNKNOWN_SERVER_ERROR' : errorNameOf(outcome.errorCode)),
  );
};
