import type { BrokerServices } from '../broker-services.ts';
import type { Handler } from '../handler.ts';
import { produceHandler } from './00-produce.ts';
import { fetchHandler } from './01-fetch.ts';
import { listOffsetsHandler } from './02-list-offsets.ts';
import { metadataHandler } from './03-metadata.ts';
import { offsetCommitHandler } from './08-offset-commit.ts';
import { offsetFetchHandler } from './09-offset-fetch.ts';
import { findCoordinatorHandler } from './10-find-coordinator.ts';
import { joinGroupHandler } from './11-join-group.ts';
import { heartbeatHandler } from './12-heartbeat.ts';
import { leaveGroupHandler } from './13-leave-group.ts';
import { syncGroupHandler } from './14-sync-group.ts';
import { describeGroupsHandler } from './15-describe-groups.ts';
import { listGroupsHandler } from './16-list-groups.ts';
import { apiVersionsHandler } from './18-api-versions.ts';
import { createTopicsHandler } from './19-create-topics.ts';
import { deleteTopicsHandler } from './20-delete-topics.ts';
import { deleteRecordsHandler } from './21-delete-records.ts';
import { initProducerIdHandler } from './22-init-producer-id.ts';
import { offsetForLeaderEpochHandler } from './23-offset-for-leader-epoch.ts';
import { addPartitionsToTxnHandler } from './24-add-partitions-to-txn.ts';
import { addOffsetsToTxnHandler } from './25-add-offsets-to-txn.ts';
import { endTxnHandler } from './26-end-txn.ts';
import { writeTxnMarkersHandler } from './27-write-txn-markers.ts';
import { txnOffsetCommitHandler } from './28-txn-offset-commit.ts';
import { describeConfigsHandler } from './32-describe-configs.ts';
import { alterConfigsHandler } from './33-alter-configs.ts';
import { describeLogDirsHandler } from './35-describe-log-dirs.ts';
import { createPartitionsHandler } from './37-create-partitions.ts';
import { deleteGroupsHandler } from './42-delete-groups.ts';
import { electLeadersHandler } from './43-elect-leaders.ts';
import { incrementalAlterConfigsHandler } from './44-incremental-alter-configs.ts';
import { offsetDeleteHandler } from './47-offset-delete.ts';
import { describeQuorumHandler } from './55-describe-quorum.ts';
import { updateFeaturesHandler } from './57-update-features.ts';
import { describeClusterHandler } from './60-describe-cluster.ts';
import { describeProducersHandler } from './61-describe-producers.ts';
import { unregisterBrokerHandler } from './64-unregister-broker.ts';
import { describeTransactionsHandler } from './65-describe-transactions.ts';
import { listTransactionsHandler } from './66-list-transactions.ts';
import { consumerGroupHeartbeatHandler } from './68-consumer-group-heartbeat.ts';
import { consumerGroupDescribeHandler } from './69-consumer-group-describe.ts';
import { listConfigResourcesHandler } from './74-list-config-resources.ts';
import { describeTopicPartitionsHandler } from './75-describe-topic-partitions.ts';

/** What a broker listener serves, in order of the keys. This array is what ApiVersions tells. */
export const createHandlers = (services: BrokerServices): readonly Handler[] => {
  const handlers: readonly Handler[] = [
    produceHandler(services),
    fetchHandler(services),
    listOffsetsHandler(services),
    metadataHandler(services),
    offsetCommitHandler(services),
    offsetFetchHandler(services),
    findCoordinatorHandler(services),
    joinGroupHandler(services),
    heartbeatHandler(services),
    leaveGroupHandler(services),
    syncGroupHandler(services),
    describeGroupsHandler(services),
    listGroupsHandler(services),
    apiVersionsHandler({ ...services, identity: { clusterId: services.clusterId, nodeId: services.brokerId } }, () =>
      handlers.map(({ api }) => api),
    ),
    createTopicsHandler(services),
    deleteTopicsHandler(services),
    deleteRecordsHandler(services),
    initProducerIdHandler(services),
    offsetForLeaderEpochHandler(services),
    addPartitionsToTxnHandler(services),
    addOffsetsToTxnHandler(services),
    endTxnHandler(services),
    writeTxnMarkersHandler(services),
    txnOffsetCommitHandler(services),
    describeConfigsHandler(services),
    alterConfigsHandler(services),
    describeLogDirsHandler(services),
    createPartitionsHandler(services),
    deleteGroupsHandler(services),
    electLeadersHandler(services),
    incrementalAlterConfigsHandler(services),
    offsetDeleteHandler(services),
    describeQuorumHandler(services),
    updateFeaturesHandler(services),
    describeClusterHandler(services),
    describeProducersHandler(services),
    unregisterBrokerHandler(services),
    describeTransactionsHandler(services),
    listTransactionsHandler(services),
    consumerGroupHeartbeatHandler(services),
    consumerGroupDescribeHandler(services),
    listConfigResourcesHandler(services),
    describeTopicPartitionsHandler(services),
  ];
  return handlers;
};
