import { api, array, boolean, int16, int32, int64, uuid } from '../schema.ts';

/** BrokerHeartbeat. KIP-631; v1 lists offline log directories (KIP-858). */
export const brokerHeartbeat = api({
  key: 63,
  name: 'BrokerHeartbeat',
  versions: '0-2',
  flexible: '0+',
  listeners: ['controller'],
  clusterAction: true,
  request: {
    brokerId: int32(),
    brokerEpoch: int64({ default: -1 }),
    currentMetadataOffset: int64(),
    wantFence: boolean(),
    wantShutDown: boolean(),
    offlineLogDirs: array(uuid(), { tagged: '1+', tag: 0 }),
    cordonedLogDirs: array(uuid(), { nullable: '2+', tagged: '2+', tag: 1, default: null }),
  },
  response: {
    throttleTimeMs: int32({ default: 0 }),
    errorCode: int16({ default: 0 }),
    isCaughtUp: boolean({ default: false }),
    isFenced: boolean({ default: true }),
    shouldShutDown: boolean(),
  },
});
