import { array, boolean, int16, int32, int64, message, string, uint16, uuid } from '../../protocol/schema.ts';

/** A broker with its incarnation, endpoints, features and rack. v3 lists log directories (KIP-858). */
export const registerBrokerRecord = message({
  name: 'RegisterBrokerRecord',
  key: 0,
  versions: '0-4',
  flexible: '0+',
  fields: {
    brokerId: int32(),
    isMigratingZkBroker: boolean({ versions: '2+', default: false }),
    incarnationId: uuid(),
    brokerEpoch: int64(),
    endPoints: array({ name: string({ mapKey: true }), host: string(), port: uint16(), securityProtocol: int16() }),
    features: array({ name: string({ mapKey: true }), minSupportedVersion: int16(), maxSupportedVersion: int16() }),
    rack: string({ nullable: '0+' }),
    fenced: boolean({ default: true }),
    inControlledShutdown: boolean({ versions: '1+', default: false }),
    logDirs: array(uuid(), { tagged: '3+', tag: 0 }),
    cordonedLogDirs: array(uuid(), { nullable: '4+', tagged: '4+', tag: 1, default: null }),
  },
});
