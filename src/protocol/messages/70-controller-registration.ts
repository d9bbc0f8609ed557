import { api, array, boolean, int16, int32, string, uint16, uuid } from '../schema.ts';

/** ControllerRegistration. KIP-919. */
export const controllerRegistration = api({
  key: 70,
  name: 'ControllerRegistration',
  versions: '0',
  flexible: '0+',
  listeners: ['controller'],
  request: {
    controllerId: int32(),
    incarnationId: uuid(),
    zkMigrationReady: boolean(),
    listeners: array({ name: string({ mapKey: true }), host: string(), port: uint16(), securityProtocol: int16() }),
    features: array({ name: string({ mapKey: true }), minSupportedVersion: int16(), maxSupportedVersion: int16() }),
  },
  response: { throttleTimeMs: int32({ default: 0 }), errorCode: int16({ default: 0 }), errorMessage: string({ nullable: '0+' }) },
});
