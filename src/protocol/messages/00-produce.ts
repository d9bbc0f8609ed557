import { api, array, int16, int32, int64, records, string, struct, uuid } from '../schema.ts';

/**
 * Produce. v3 and later carry one record batch of magic 2 a partition; v9 is flexible; v10 tells the new leader (KIP-951);
 * v12 adds partitions to transactions by itself (KIP-890); v13 names topics by id (KIP-516).
 */
export const produce = api({
  key: 0,
  name: 'Produce',
  versions: '3-13',
  flexible: '9+',
  listeners: ['broker'],
  request: {
    transactionalId: string({ nullable: '3+', default: null }),
    acks: int16(),
    timeoutMs: int32(),
    topicData: array({
      name: string({ versions: '0-12', mapKey: true, ignorable: true, default: '' }),
      topicId: uuid({ versions: '13+', mapKey: true, ignorable: true }),
      partitionData: array({ index: int32(), records: records({ nullable: '0+' }) }),
    }),
  },
  response: {
    responses: array({
      name: string({ versions: '0-12', mapKey: true, ignorable: true }),
      topicId: uuid({ versions: '13+', mapKey: true, ignorable: true }),
      partitionResponses: array({
        index: int32(),
        errorCode: int16({ default: 0 }),
        baseOffset: int64(),
        logAppendTimeMs: int64({ ignorable: true, default: -1, nearest: true }),
        logStartOffset: int64({ versions: '5+', ignorable: true, default: -1 }),
        recordErrors: array(
          { batchIndex: int32(), batchIndexErrorMessage: string({ nullable: '8+', default: null }) },
          { versions: '8+', ignorable: true },
        ),
        errorMessage: string({ versions: '8+', nullable: '8+', ignorable: true, default: null }),
        currentLeader: struct(
          { leaderId: int32({ default: -1 }), leaderEpoch: int32({ default: -1 }) },
          { tagged: '10+', tag: 0 },
        ),
      }),
    }),
    throttleTimeMs: int32({ ignorable: true, default: 0 }),
    nodeEndpoints: array(
      { nodeId: int32({ mapKey: true }), host: string(), port: int32(), rack: string({ nullable: '10+', default: null }) },
      { tagged: '10+', tag: 0 },
    ),
  },
});
