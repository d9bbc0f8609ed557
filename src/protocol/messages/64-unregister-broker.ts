import { api, int16, int32, string } from '../schema.ts';

/** UnregisterBroker. KIP-631. */
export const unregisterBroker = api({
  key: 64,
  name: 'UnregisterBroker',
  versions: '0',
  flexible: '0+',
  listeners: ['broker', 'controller'],
  forwardable: true,
  request: { brokerId: int32() },
  response: { throttleTimeMs: int32({ default: 0 }), errorCode: int16({ default: 0 }), errorMessage: string({ nullable: '0+' }) },
});
