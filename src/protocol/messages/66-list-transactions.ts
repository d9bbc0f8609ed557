import { api, array, int16, int32, int64, string } from '../schema.ts';

/** ListTransactions. KIP-664; v1 filters by duration (KIP-994), v2 by a pattern of ids (KIP-1152). */
export const listTransactions = api({
  key: 66,
  name: 'ListTransactions',
  versions: '0-2',
  flexible: '0+',
  listeners: ['broker'],
  request: {
    stateFilters: array(string()),
    producerIdFilters: array(int64()),
    durationFilter: int64({ versions: '1+', default: -1 }),
    transactionalIdPattern: string({ versions: '2+', nullable: '2+', default: null }),
  },
  response: {
    throttleTimeMs: int32({ default: 0 }),
    errorCode: int16({ default: 0 }),
    unknownStateFilters: array(string()),
    transactionStates: array({ transactionalId: string(), producerId: int64(), transactionState: string() }),
  },
});
