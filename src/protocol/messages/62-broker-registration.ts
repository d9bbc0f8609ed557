import { api, array, boolean, int16, int32, int64, string, uint16, uuid } from '../schema.ts';

/** BrokerRegistration. KIP-631; v2 lists log directories (KIP-858). */
export const brokerRegistration = api({
  key: 62,
  name: 'BrokerRegistration',
  versions: '0-4',
  flexible: '0+',
  listeners: ['controller'],
  clusterAction: true,
  request: {
    brokerId: int32(),
    clusterId: string(),
    incarnationId: uuid(),
    listeners: array({ name: string({ mapKey: true }), host: string(), port: uint16(), securityProtocol: int16() }),
    features: array({ name: string({ mapKey: true }), minSupportedVersion: int16(), maxSupportedVersion: int16() }),
    rack: string({ nullable: '0+' }),
    isMigratingZkBroker: boolean({ versions: '1+', default: false }),
    logDirs: array(uuid(), { versions: '2+', ignorable: true }),
    previousBrokerEpoch: int64({ versions: '3+', ignorable: true, default: -1 }),
  },
  response: { throttleTimeMs: int32({ default: 0 }), errorCode: int16({ default: 0 }), brokerEpoch: int64({ default: -1 }) },
});
