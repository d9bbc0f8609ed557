import { api, array, int16, int32, int8, string } from '../schema.ts';

/** ListConfigResources. v0 lists the subscriptions of client metrics (KIP-714), v1 resources of any type (KIP-1142). */
export const listConfigResources = api({
  key: 74,
  name: 'ListConfigResources',
  versions: '0-1',
  flexible: '0+',
  listeners: ['broker'],
  request: { resourceTypes: array(int8(), { versions: '1+' }) },
  response: {
    throttleTimeMs: int32({ default: 0 }),
    errorCode: int16({ default: 0 }),
    configResources: array({ resourceName: string(), resourceType: int8({ versions: '1+', ignorable: true, default: 16 }) }),
  },
});
