import { api, array, boolean, int16, int32, int64, string } from '../schema.ts';

/**
 * ApiVersions. v3 is flexible and names the client (KIP-511) and the features (KIP-584); v4 also lists features whose
 * least level is 0 (KIP-1022); v5 checks the cluster and the node. The response header is always version 0.
 */
export const apiVersions = api({
  key: 18,
  name: 'ApiVersions',
  versions: '0-5',
  flexible: '3+',
  listeners: ['broker', 'controller'],
  request: {
    clientSoftwareName: string({ versions: '3+', ignorable: true }),
    clientSoftwareVersion: string({ versions: '3+', ignorable: true }),
    clusterId: string({ versions: '5+', nullable: '5+', ignorable: true, default: null }),
    nodeId: int32({ versions: '5+', ignorable: true, default: -1 }),
  },
  response: {
    errorCode: int16({ default: 0 }),
    apiKeys: array({ apiKey: int16({ mapKey: true }), minVersion: int16(), maxVersion: int16() }),
    throttleTimeMs: int32({ versions: '1+', ignorable: true, default: 0 }),
    supportedFeatures: array(
      { name: string({ mapKey: true }), minVersion: int16(), maxVersion: int16() },
      { tagged: '3+', tag: 0, ignorable: true },
    ),
    finalizedFeaturesEpoch: int64({ tagged: '3+', tag: 1, ignorable: true, default: -1 }),
    finalizedFeatures: array(
      { name: string({ mapKey: true }), maxVersionLevel: int16(), minVersionLevel: int16() },
      { tagged: '3+', tag: 2, ignorable: true },
    ),
    zkMigrationReady: boolean({ tagged: '3+', tag: 3, ignorable: true, default: false }),
  },
});
