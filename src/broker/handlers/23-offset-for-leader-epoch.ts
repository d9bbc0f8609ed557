import { codeOf, errorCodeOf, KafkaError } from '../../protocol/errors.ts';
import { offsetForLeaderEpoch } from '../../protocol/messages/23-offset-for-leader-epoch.ts';
import type { RequestOf, ResponseInput } from '../../protocol/schema.ts';
import { CLUSTER_NAME } from '../../security/authorizer.ts';
import type { BrokerServices } from '../broker-services.ts';
import { defineHandler, type Handler } from '../handler.ts';
import { mapGroupsInTurns, whenThere } from '../../base/turns.ts';

type Request = RequestOf<typeof offsetForLeaderEpoch>;
type Partition = Request['topics'][number]['partitions'][number];
type Answer = ResponseInput<typeof offsetForLeaderEpoch>['topics'][number]['partitions'][number];

/** OffsetForLeaderEpoch v2-4 (KIP-101, KIP-279, KIP-320): where an epoch ends in this leader's log. */
export const offsetForLeaderEpochHandler = (services: BrokerServices): Handler =>
  defineHandler<typeof offsetForLeaderEpoch>({
    api: offsetForLeaderEpoch,
    handle: (request, context) => {
      const { authorizer } = services;
      const isFollower = authorizer.isAllowed(context, 'CLUSTER_ACTION', 'CLUSTER', CLUSTER_NAME);
      const topics = request.topics.map(({ topic, partitions }) => ({
        topic,
        partitions,
        isAllowed: isFollower || authorizer.isAllowed(context, 'DESCRIBE', 'TOPIC', topic),
      }));
      const answer = ({ topic, isAllowed }: (typeof topics)[number], partition: Partition): Answer =>
        isAllowed ? lookUp(services, topic, partition) : failure(partition, codeOf('TOPIC_AUTHORIZATION_FAILED'));
      const answers = mapGroupsInTurns(services.environment.clock, topics, ({ partitions }) => partitions, answer);
      return whenThere(answers, (all) => ({ topics: topics.map(({ topic }, at) => ({ topic, partitions: all[at] ?? [] })) }));
    },
    failed: (request, error) => ({
      topics: request.topics.map(({ topic, partitions }) => ({
        topic,
        partitions: partitions.map((partition) => failure(partition, error.code)),
      })),
    }),
  });

/** Whoever asks for it has no records, and learns nothing. */
const NO_EPOCH = -1;

const failure = ({ partition }: Partition, errorCode: number): Answer => ({ partition, errorCode });

const lookUp = ({ replicaManager }: BrokerServices, topic: string, asked: Partition): Answer => {
  const { partition, currentLeaderEpoch, leaderEpoch } = asked;
  try {
    const log = replicaManager.byName(topic, partition).localLog(currentLeaderEpoch, true);
    return leaderEpoch === NO_EPOCH ? { partition } : { partition, ...log.endOffsetForEpoch(leaderEpoch) };
  } catch (error) {
    if (!(error instanceof KafkaError)) throw error;
    return failure(asked, errorCodeOf(error));
  }
};
