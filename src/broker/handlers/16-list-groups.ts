import { listGroups as list } from '../../coordinator/group/list-groups.ts';
import { KafkaError } from '../../protocol/errors.ts';
import { listGroups } from '../../protocol/messages/16-list-groups.ts';
import { CLUSTER_NAME } from '../../security/authorizer.ts';
import type { BrokerServices } from '../broker-services.ts';
import { defineHandler, type Handler } from '../handler.ts';

/** ListGroups v0-5: the groups of all kinds that this broker coordinates. v4 filters by state (KIP-518), v5 by type (KIP-848). */
export const listGroupsHandler = ({ authorizer, groupCoordinator }: BrokerServices): Handler =>
  defineHandler<typeof listGroups>({
    api: listGroups,
    handle: (filters, context) => {
      try {
        const groups = list(groupCoordinator, filters);
        if (authorizer.isAllowed(context, 'DESCRIBE', 'CLUSTER', CLUSTER_NAME)) return { groups };
        return { groups: groups.filter(({ groupId }) => authorizer.isAllowed(context, 'DESCRIBE', 'GROUP', groupId)) };
      } catch (error) {
        if (!(error instanceof KafkaError)) throw error;
        return { errorCode: error.code, groups: [] };
      }
    },
    failed: (_request, error) => ({ errorCode: error.code, groups: [] }),
  });
