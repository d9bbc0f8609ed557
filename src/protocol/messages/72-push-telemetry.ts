import { api, boolean, bytes, int16, int32, int8, uuid } from '../schema.ts';

/** PushTelemetry. KIP-714. */
export const pushTelemetry = api({
  key: 72,
  name: 'PushTelemetry',
  versions: '0',
  flexible: '0+',
  listeners: ['broker'],
  request: {
    clientInstanceId: uuid(),
    subscriptionId: int32(),
    terminating: boolean(),
    compressionType: int8(),
    metrics: bytes(),
  },
  response: { throttleTimeMs: int32({ default: 0 }), errorCode: int16({ default: 0 }) },
});
