import { array, int32, int8, message, uuid } from '../../protocol/schema.ts';

/** A new partition. v1 has directories (KIP-858), v2 eligible leader replicas (KIP-966). */
export const partitionRecord = message({
  name: 'PartitionRecord',
  key: 3,
  versions: '0-2',
  flexible: '0+',
  fields: {
    partitionId: int32({ default: -1 }),
    topicId: uuid(),
    replicas: array(int32()),
    isr: array(int32()),
    removingReplicas: array(int32()),
    addingReplicas: array(int32()),
    leader: int32({ default: -1 }),
    leaderRecoveryState: int8({ tagged: '0+', tag: 0, default: 0 }),
    leaderEpoch: int32({ default: -1 }),
    partitionEpoch: int32({ default: -1 }),
    directories: array(uuid(), { versions: '1+' }),
    eligibleLeaderReplicas: array(int32(), { nullable: '2+', tagged: '2+', tag: 1, default: null }),
    lastKnownElr: array(int32(), { nullable: '2+', tagged: '2+', tag: 2, default: null }),
  },
});
