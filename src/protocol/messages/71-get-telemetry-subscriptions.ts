import { api, array, boolean, int16, int32, int8, string, uuid } from '../schema.ts';

/** GetTelemetrySubscriptions. KIP-714. */
export const getTelemetrySubscriptions = api({
  key: 71,
  name: 'GetTelemetrySubscriptions',
  versions: '0',
  flexible: '0+',
  listeners: ['broker'],
  request: { clientInstanceId: uuid() },
  response: {
    throttleTimeMs: int32({ default: 0 }),
    errorCode: int16({ default: 0 }),
    clientInstanceId: uuid(),
    subscriptionId: int32(),
    acceptedCompressionTypes: array(int8()),
    pushIntervalMs: int32(),
    telemetryMaxBytes: int32(),
    deltaTemporality: boolean(),
    requestedMetrics: array(string()),
  },
});
