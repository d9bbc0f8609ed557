import { array, boolean, int16, int32, message, string, uint16, uuid } from '../../protocol/schema.ts';

/** A controller with its incarnation, endpoints and features (KIP-919). */
export const registerControllerRecord = message({
  name: 'RegisterControllerRecord',
  key: 27,
  versions: '0',
  flexible: '0+',
  fields: {
    controllerId: int32(),
    incarnationId: uuid(),
    zkMigrationReady: boolean(),
    endPoints: array({ name: string({ mapKey: true }), host: string(), port: uint16(), securityProtocol: int16() }),
    features: array({ name: string({ mapKey: true }), minSupportedVersion: int16(), maxSupportedVersion: int16() }),
  },
});
