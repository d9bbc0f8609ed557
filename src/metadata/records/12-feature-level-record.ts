import { int16, message, string } from '../../protocol/schema.ts';

/** The finalized level of a feature. */
export const featureLevelRecord = message({
  name: 'FeatureLevelRecord',
  key: 12,
  versions: '0',
  flexible: '0+',
  fields: { name: string(), featureLevel: int16() },
});
