import { mapInTurns, whenThere } from '../../base/turns.ts';
import { ConsumerGroupService, refusedDescription } from '../../coordinator/group/consumer/consumer-group-service.ts';
import { KafkaError } from '../../protocol/errors.ts';
import { consumerGroupDescribe } from '../../protocol/messages/69-consumer-group-describe.ts';
import type { ResponseInput } from '../../protocol/schema.ts';
import { authorizedOperations } from '../../security/authorizer.ts';
import type { BrokerServices } from '../broker-services.ts';
import { defineHandler, type Handler } from '../handler.ts';
import { inOrderOfNames } from '../repeated-names.ts';
import type { RequestContext } from '../request-context.ts';

type Description = ResponseInput<typeof consumerGroupDescribe>['groups'][number];

/** ConsumerGroupDescribe v0-1 (KIP-848): consumer groups as they are committed. v1 tells which protocol a member speaks. */
export const consumerGroupDescribeHandler = (services: BrokerServices): Handler => {
  const { environment, authorizer, groupCoordinator, configs, metadata } = services;
  const groups = new ConsumerGroupService({ coordinator: groupCoordinator, configs, metadata: () => metadata.image });
  const describe = (groupId: string, tellsRights: boolean, context: RequestContext): Description => {
    if (!authorizer.isAllowed(context, 'DESCRIBE', 'GROUP', groupId))
      return refusedDescription(groupId, new KafkaError('GROUP_AUTHORIZATION_FAILED'));
    const description = groups.describe(groupId);
    if (!topicsOf(description).every((topic) => authorizer.isAllowed(context, 'DESCRIBE', 'TOPIC', topic)))
      return refusedDescription(groupId, new KafkaError('TOPIC_AUTHORIZATION_FAILED', HIDDEN_TOPICS));
    if (!tellsRights || description.errorCode !== undefined) return description;
    return { ...description, authorizedOperations: authorizedOperations(authorizer, context, 'GROUP', groupId) };
  };
  return defineHandler<typeof consumerGroupDescribe>({
    api: consumerGroupDescribe,
    handle: ({ groupIds, includeAuthorizedOperations }, context) => {
      if (!groups.isServed) throw new KafkaError('UNSUPPORTED_VERSION');
      // Each has as many members as it likes: looked at once, however often it is named.
      const described = mapInTurns(environment.clock, [...new Set(groupIds)], (groupId) =>
        describe(groupId, includeAuthorizedOperations, context),
      );
      return whenThere(described, (all) => {
        const byId = new Map(all.map((description) => [description.groupId, description]));
        return { groups: inOrderOfNames(groupIds, byId, partsOf) };
      });
    },
    failed: ({ groupIds }, error) => ({ groups: groupIds.map((groupId) => refusedDescription(groupId, error)) }),
  });
};

const HIDDEN_TOPICS = 'The group has described topic(s) that the client is not authorized to describe.';

/** Roughly: members, and the topics of their assignments. */
const partsOf = ({ members }: Description): number =>
  members.reduce((sum, { assignment, targetAssignment }) => {
    return sum + assignment.topicPartitions.length + targetAssignment.topicPartitions.length;
  }, 1 + members.length);

const topicsOf = ({ members }: Description): string[] => {
  const assignments = members.flatMap(({ assignment, targetAssignment }) => [assignment, targetAssignment]);
  return [...new Set(assignments.flatMap(({ topicPartitions }) => topicPartitions.map(({ topicName }) => topicName)))];
};
