import { codeOf, type ErrorName, KafkaError, textOf } from '../../protocol/errors.ts';
import { describeProducers } from '../../protocol/messages/61-describe-producers.ts';
import type { ResponseInput } from '../../protocol/schema.ts';
import type { BrokerServices } from '../broker-services.ts';
import { defineHandler, type Handler } from '../handler.ts';
import type { RequestContext } from '../request-context.ts';
import { mapGroupsInTurns, whenThere } from '../../base/turns.ts';
import { topicNameFault } from '../../config/topic-name.ts';

type Answer = ResponseInput<typeof describeProducers>['topics'][number]['partitions'][number];

/** DescribeProducers v0 (KIP-664): who has written to a partition lately, idempotently or in a transaction. Only the leader tells. */
export const describeProducersHandler = (services: BrokerServices): Handler =>
  defineHandler<typeof describeProducers>({
    api: describeProducers,
    handle: (request, context) => {
      const topics = request.topics.map(({ name, partitionIndexes }) => ({
        name,
        // Each has as many producers as wrote to it: told once, however often it is named.
        indexes: [...new Set(partitionIndexes)],
        fault: topicFault(services, name, context),
      }));
      const answer = ({ name, fault }: (typeof topics)[number], partitionIndex: number): Answer =>
        fault === null ? lookUp(services, name, partitionIndex) : { partitionIndex, ...fault };
      const answers = mapGroupsInTurns(services.environment.clock, topics, ({ indexes }) => indexes, answer);
      return whenThere(answers, (all) => ({ topics: topics.map(({ name }, at) => ({ name, partitions: all[at] ?? [] })) }));
    },
    failed: (request, error) => ({
      topics: request.topics.map(({ name, partitionIndexes }) => ({
        name,
        partitions: partitionIndexes.map((partitionIndex) => ({
          partitionIndex,
          errorCode: error.code,
          errorMessage: error.message,
          activeProducers: [],
        })),
      })),
    }),
  });

const refusal = (error: ErrorName, message = textOf(error)) => ({
  errorCode: codeOf(error),
  errorMessage: message,
  activeProducers: [],
});

const topicFault = ({ authorizer, metadata }: BrokerServices, name: string, context: RequestContext) => {
  const fault = topicNameFault(name);
  if (fault !== null) return refusal('INVALID_TOPIC_EXCEPTION', `Topic name is invalid: ${fault}`);
  if (!authorizer.isAllowed(context, 'READ', 'TOPIC', name)) return refusal('TOPIC_AUTHORIZATION_FAILED');
  return metadata.image.topics.byName.get(name) === undefined ? refusal('UNKNOWN_TOPIC_OR_PARTITION') : null;
};

const lookUp = ({ replicaManager }: BrokerServices, topic: string, partitionIndex: number): Answer => {
  try {
    const { producers } = replicaManager.byName(topic, partitionIndex).leaderLog;
    const activeProducers = Array.from(producers.active, (producer) => ({
      producerId: producer.producerId,
      producerEpoch: producer.producerEpoch,
      lastSequence: producer.lastSequence,
      lastTimestamp: producer.lastTimestamp,
      coordinatorEpoch: producer.coordinatorEpoch,
      currentTxnStartOffset: producer.transactionFirstOffset,
    }));
    return { partitionIndex, activeProducers };
  } catch (error) {
    if (!(error instanceof KafkaError)) throw error;
    return { partitionIndex, errorCode: error.code, activeProducers: [] };
  }
};
