import { api, array, boolean, int16, int32, int64, int8, records, string, struct, uuid } from '../schema.ts';

/** ShareFetch. KIP-932. */
export const shareFetch = api({
  key: 78,
  name: 'ShareFetch',
  versions: '1-2',
  flexible: '0+',
  listeners: ['broker'],
  request: {
    groupId: string({ nullable: '0+', default: null }),
    memberId: string({ nullable: '0+' }),
    shareSessionEpoch: int32(),
    maxWaitMs: int32(),
    minBytes: int32(),
    maxBytes: int32({ default: 2_147_483_647 }),
    maxRecords: int32(),
    batchSize: int32(),
    shareAcquireMode: int8({ versions: '2+', ignorable: true, default: 0 }),
    isRenewAck: boolean({ versions: '2+', default: false }),
    topics: array({
      topicId: uuid({ mapKey: true }),
      partitions: array({
        partitionIndex: int32({ mapKey: true }),
        acknowledgementBatches: array({ firstOffset: int64(), lastOffset: int64(), acknowledgeTypes: array(int8()) }),
      }),
    }),
    forgottenTopicsData: array({ topicId: uuid(), partitions: array(int32()) }),
  },
  response: {
    throttleTimeMs: int32({ default: 0 }),
    errorCode: int16({ default: 0 }),
    errorMessage: string({ nullable: '0+', default: null }),
    acquisitionLockTimeoutMs: int32(),
    responses: array({
      topicId: uuid({ mapKey: true }),
      partitions: array({
        partitionIndex: int32(),
        errorCode: int16({ default: 0 }),
        errorMessage: string({ nullable: '0+', default: null }),
        acknowledgeErrorCode: int16(),
        acknowledgeErrorMessage: string({ nullable: '0+', default: null }),
        currentLeader: struct({ leaderId: int32(), leaderEpoch: int32() }),
        records: records({ nullable: '0' }),
        acquiredRecords: array({ firstOffset: int64(), lastOffset: int64(), deliveryCount: int16() }),
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
