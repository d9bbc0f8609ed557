import { api, array, boolean, int16, int32, int8, string } from '../schema.ts';

/** UpdateFeatures. KIP-584; v1 can try without doing. */
export const updateFeatures = api({
  key: 57,
  name: 'UpdateFeatures',
  versions: '0-2',
  flexible: '0+',
  listeners: ['broker', 'controller'],
  clusterAction: true,
  forwardable: true,
  request: {
    timeoutMs: int32({ default: 60_000 }),
    featureUpdates: array({
      feature: string({ mapKey: true }),
      maxVersionLevel: int16(),
      allowDowngrade: boolean({ versions: '0', default: false }),
      upgradeType: int8({ versions: '1+', default: 1 }),
    }),
    validateOnly: boolean({ versions: '1+', default: false }),
  },
  response: {
    throttleTimeMs: int32({ default: 0 }),
    errorCode: int16({ default: 0 }),
    errorMessage: string({ nullable: '0+' }),
    results: array(
      { feature: string({ mapKey: true }), errorCode: int16({ default: 0 }), errorMessage: string({ nullable: '0+' }) },
      { versions: '0-1', ignorable: true, default: [] },
    ),
  },
});
