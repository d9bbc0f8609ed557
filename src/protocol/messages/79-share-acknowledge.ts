import { api, array, boolean, int16, int32, int64, int8, string, struct, uuid } from '../schema.ts';

/** ShareAcknowledge. KIP-932. */
export const shareAcknowledge = api({
  key: 79,
  name: 'ShareAcknowledge',
  versions: '1-2',
  flexible: '0+',
  listeners: ['broker'],
  request: {
    groupId: string({ nullable: '0+', default: null }),
    memberId: string({ nullable: '0+' }),
    shareSessionEpoch: int32(),
    isRenewAck: boolean({ versions: '2+', default: false }),
    topics: array({
      topicId: uuid({ mapKey: true }),
      partitions: array({
        partitionIndex: int32({ mapKey: true }),
        acknowledgementBatches: array({ firstOffset: int64(), lastOffset: int64(), acknowledgeTypes: array(int8()) }),
      }),
    }),
  },
  response: {
    throttleTimeMs: int32({ default: 0 }),
    errorCode: int16({ default: 0 }),
    errorMessage: string({ nullable: '0+', default: null }),
    acquisitionLockTimeoutMs: int32({ versions: '2+', ignorable: true }),
    responses: array({
      topicId: uuid({ mapKey: true }),
      partitions: array({
        partitionIndex: int32(),
        errorCode: int16({ default: 0 }),
        errorMessage: string({ nullable: '0+', default: null }),
        currentLeader: struct({ leaderId: int32(), leaderEpoch: int32() }),
      }),
    }),
    nodeEndpoints: array({
      nodeId: int32({ mapKey: true }),
      host: string(),
      port: int32(),
      rack: string({ nullable: '0+', default: null }),
    }),
  },
});
