import { api, int16, int32, int64, string } from '../schema.ts';

/** AddOffsetsToTxn. KIP-98. */
export const addOffsetsToTxn = api({
  key: 25,
  name: 'AddOffsetsToTxn',
  versions: '0-4',
  flexible: '3+',
  listeners: ['broker'],
  request: { transactionalId: string(), producerId: int64(), producerEpoch: int16(), groupId: string() },
  response: { throttleTimeMs: int32({ default: 0 }), errorCode: int16({ default: 0 }) },
});
