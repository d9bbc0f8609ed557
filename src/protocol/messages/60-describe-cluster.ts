import { api, array, boolean, int16, int32, int8, string } from '../schema.ts';

/** DescribeCluster. KIP-700; v1 also describes controllers (KIP-919), v2 fenced brokers. */
export const describeCluster = api({
  key: 60,
  name: 'DescribeCluster',
  versions: '0-2',
  flexible: '0+',
  listeners: ['broker', 'controller'],
  request: {
    includeClusterAuthorizedOperations: boolean(),
    endpointType: int8({ versions: '1+', default: 1 }),
    includeFencedBrokers: boolean({ versions: '2+' }),
  },
  response: {
    throttleTimeMs: int32({ default: 0 }),
    errorCode: int16({ default: 0 }),
    errorMessage: string({ nullable: '0+', default: null }),
    endpointType: int8({ versions: '1+', default: 1 }),
    clusterId: string(),
    controllerId: int32({ default: -1 }),
    brokers: array({
      brokerId: int32({ mapKey: true }),
      host: string(),
      port: int32(),
      rack: string({ nullable: '0+', default: null }),
      isFenced: boolean({ versions: '2+' }),
    }),
    clusterAuthorizedOperations: int32({ default: -2_147_483_648 }),
  },
});
