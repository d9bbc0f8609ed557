import { api, int16, int32, string } from '../schema.ts';

/** UnregisterController. Takes a controller out of the cluster's registrations. */
export const unregisterController = api({
  key: 94,
  name: 'UnregisterController',
  versions: '0',
  flexible: '0+',
  listeners: ['broker', 'controller'],
  forwardable: true,
  request: { controllerId: int32() },
  response: { throttleTimeMs: int32({ default: 0 }), errorCode: int16({ default: 0 }), errorMessage: string({ nullable: '0+' }) },
});
