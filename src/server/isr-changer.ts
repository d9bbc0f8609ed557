import type { ControllerChannel } from '../broker/forwarding.ts';
import { KafkaError, errorNameOf } from '../protocol/errors.ts';
import { alterPartition } from '../protocol/messages/56-alter-partition.ts';
import type { IsrChanger } from '../replication/isr.ts';

const ALTER_PARTITION_VERSION = 3;

/** Asks the controller for another ISR of one partition at a time (KIP-497). */
export function controllerIsrChanger(
  channel: ControllerChannel,
  broker: { readonly brokerId: number; readonly brokerEpoch: () => number },
): IsrChanger {
  return {
    change: async ({ topicId, partition: partitionIndex, leaderEpoch, partitionEpoch, isr }) => {
      const partition = {
        partitionIndex,
        leaderEpoch,
        newIsr: [],
        newIsrWithEpochs: [...isr],
        leaderRecoveryState: 0,
        partitionEpoch,
      };
      const request = {
        brokerId: broker.brokerId,
        brokerEpoch: broker.brokerEpoch(),
        topics: [{ topicId, partitions: [partition] }],
      };
      const response = await channel.send(alterPartition, request, { version: ALTER_PARTITION_VERSION });
      const answer = response.topics[0]?.partitions[0];
      const errorCode = response.errorCode === 0 ? (answer?.errorCode ?? 0) : response.errorCode;
      if (errorCode !== 0 || answer === undefined) throw new KafkaError(errorNameOf(errorCode));
      return { isr: answer.isr, leader: answer.leaderId, leaderEpoch: answer.leaderEpoch, partitionEpoch: answer.partitionEpoch };
    },
  };
}
