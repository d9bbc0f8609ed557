import { api, bytes, int16 } from '../schema.ts';

/** Envelope. A request that a broker passes to the controller, with the principal that sent it (KIP-590). */
export const envelope = api({
  key: 58,
  name: 'Envelope',
  versions: '0',
  flexible: '0+',
  listeners: ['controller'],
  clusterAction: true,
  request: { requestData: bytes(), requestPrincipal: bytes({ nullable: '0+' }), clientHostAddress: bytes() },
  response: { responseData: bytes({ nullable: '0+', default: null }), errorCode: int16({ default: 0 }) },
});
