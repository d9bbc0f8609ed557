import { KafkaError } from '../../protocol/errors.ts';
import { deleteRecords } from '../../protocol/messages/21-delete-records.ts';
import type { RequestOf, ResponseInput } from '../../protocol/schema.ts';
import type { DeleteRecordsOutcome } from '../../replication/delayed-delete-records.ts';
import type { Partition } from '../../replication/partition.ts';
import type { BrokerServices } from '../broker-services.ts';
import { defineHandler, type Handler } from '../handler.ts';
import { isInternalTopic } from '../metadata-view.ts';
import type { RequestContext } from '../request-context.ts';

type Request = RequestOf<typeof deleteRecords>;
type Response = ResponseInput<typeof deleteRecords>;

/** DeleteRecords v0-2 (KIP-107). The answer waits until all live replicas have dropped the records. */
export const deleteRecordsHandler = (services: BrokerServices): Handler => {
  const handle = (request: Request, context: RequestContext): Response | Promise<Response> => {
    const wanted: { partition: Partition; offset: number }[] = [];
    const places: { outcomes: DeleteRecordsOutcome[]; at: number }[] = [];
    // Partitions are answered, by topic: without one, a topic is not.
    const asked = request.topics.filter(({ partitions }) => partitions.length > 0);
    const topics = asked.map(({ name, partitions }) => {
      const outcomes: DeleteRecordsOutcome[] = [];
      for (const { partitionIndex, offset } of partitions) {
        const found = find(services, name, partitionIndex, context);
        if (!(found instanceof KafkaError)) {
          wanted.push({ partition: found, offset });
          places.push({ outcomes, at: outcomes.length });
        }
        outcomes.push({ partitionIndex, lowWatermark: -1, errorCode: found instanceof KafkaError ? found.code : 0 });
      }
      return { name, partitions: outcomes };
    });
    const finish = (outcomes: readonly DeleteRecordsOutcome[]): Response => {
      for (const [index, outcome] of outcomes.entries()) {
        const place = places[index];
        if (place !== undefined) place.outcomes[place.at] = outcome;
      }
      return { topics };
    };
    const outcomes = services.replicaManager.deleteRecords(wanted, request.timeoutMs);
    return outcomes instanceof Promise ? outcomes.then(finish) : finish(outcomes);
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
