import { KafkaError } from '../../protocol/errors.ts';
import { deleteRecords } from '../../protocol/messages/21-delete-records.ts';
import type { RequestOf, ResponseInput } from '../../protocol/schema.ts';
import type { DeleteRecordsOutcome } from '../../replication/delayed-delete-records.ts';
import type { Partition } from '../../replication/partition.ts';
import type { BrokerServices } from '../broker-services.ts';
import { defineHandler, type Handler } from '../handler.ts';
import { isInternalTopic } from '../metadata-view.ts';
import type { RequestContext } from '../request-context.ts';
import { mapGroupsInTurns, whenThere } from '../../base/turns.ts';

type Request = RequestOf<typeof deleteRecords>;
type Response = ResponseInput<typeof deleteRecords>;

/** DeleteRecords v0-2 (KIP-107). The answer waits until all live replicas have dropped the records. */
export const deleteRecordsHandler = (services: BrokerServices): Handler => {
  const handle = (request: Request, context: RequestContext): Response | Promise<Response> => {
    // Partitions are answered, by topic: without one, a topic is not.
    const asked = request.topics.filter(({ partitions }) => partitions.length > 0);
    const found = mapGroupsInTurns(
      services.environment.clock,
      asked,
      ({ partitions }) => partitions,
      ({ name }, { partitionIndex }) => find(services, name, partitionIndex, context),
    );
    return whenThere(found, (all) => deleteIn(services, request, asked, all));
  };
  return defineHandler<typeof deleteRecords>({
    api: deleteRecords,
    handle,
    failed: (request, error) => ({
      topics: request.topics.map(({ name, partitions }) => ({
        name,
        partitions: partitions.map(({ partitionIndex }) => ({ partitionIndex, lowWatermark: -1, errorCode: error.code })),
      })),
    }),
  });
};

/** Deletes in the partitions that were found, and says of the others why not. */
const deleteIn = (
  { replicaManager }: BrokerServices,
  { timeoutMs }: Request,
  asked: Request['topics'],
  found: readonly (readonly (Partition | KafkaError)[])[],
): Response | Promise<Response> => {
  const wanted: { partition: Partition; offset: number }[] = [];
  const places: { outcomes: DeleteRecordsOutcome[]; at: number }[] = [];
  const topics = asked.map(({ name, partitions }, topicAt) => {
    const outcomes: DeleteRecordsOutcome[] = [];
    for (const [at, { partitionIndex, offset }] of partitions.entries()) {
      const partition = found[topicAt]?.[at];
      const errorCode = partition instanceof KafkaError ? partition.code : 0;
      if (partition !== undefined && !(partition instanceof KafkaError)) {
        wanted.push({ partition, offset });
        places.push({ outcomes, at });
      }
      outcomes.push({ partitionIndex, lowWatermark: -1, errorCode });
    }
    return { name, partitions: outcomes };
  });
  return whenThere(replicaManager.deleteRecords(wanted, timeoutMs), (outcomes) => {
    for (const [index, outcome] of outcomes.entries()) {
      const place = places[index];
      if (place !== undefined) place.outcomes[place.at] = outcome;
    }
    return { topics };
  });
};

const find = (
  { authorizer, replicaManager }: BrokerServices,
  topic: string,
  partition: number,
  context: RequestContext,
): Partition | KafkaError => {
  if (!authorizer.isAllowed(context, 'DELETE', 'TOPIC', topic)) return new KafkaError('TOPIC_AUTHORIZATION_FAILED');
  try {
    const found = replicaManager.byName(topic, partition);
    return isInternalTopic(topic) ? new KafkaError('INVALID_TOPIC_EXCEPTION') : found;
  } catch (error) {
    if (error instanceof KafkaError) return error;
    throw error;
  }
};
