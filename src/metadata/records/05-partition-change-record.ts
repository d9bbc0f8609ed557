import { array, int32, int8, message, uuid } from '../../protocol/schema.ts';

/**
 * What changed in a partition; a field that is absent did not. v1 has directories (KIP-858), v2 eligible leader replicas
 * (KIP-966).
 */
export const partitionChangeRecord = message({
  name: 'PartitionChangeRecord',
  key: 5,
  versions: '0-2',
  flexible: '0+',
  fields: {
    partitionId: int32({ default: -1 }),
    topicId: uuid(),
    isr: array(int32(), { nullable: '0+', tagged: '0+', tag: 0, default: null }),
    leader: int32({ tagged: '0+', tag: 1, default: -2 }),
    replicas: array(int32(), { nullable: '0+', tagged: '0+', tag: 2, default: null }),
    removingReplicas: array(int32(), { nullable: '0+', tagged: '0+', tag: 3, default: null }),
    addingReplicas: array(int32(), { nullable: '0+', tagged: '0+', tag: 4, default: null }),
    leaderRecoveryState: int8({ tagged: '0+', tag: 5, default: -1 }),
    directories: array(uuid(), { nullable: '1+', tagged: '1+', tag: 8, default: null }),
    eligibleLeaderReplicas: array(int32(), { nullable: '2+', tagged: '2+', tag: 6, default: null }),
    lastKnownElr: array(int32(), { nullable: '2+', tagged: '2+', tag: 7, default: null }),
  },
});
