import { api, array, boolean, int16, int32, int8, string } from '../schema.ts';

/** DescribeConfigs. v1 shows where a value comes from (KIP-226), v3 documentation and types (KIP-569). */
export const describeConfigs = api({
  key: 32,
  name: 'DescribeConfigs',
  versions: '1-4',
  flexible: '4+',
  listeners: ['broker', 'controller'],
  request: {
    resources: array({ resourceType: int8(), resourceName: string(), configurationKeys: array(string(), { nullable: '0+' }) }),
    includeSynonyms: boolean({ default: false }),
    includeDocumentation: boolean({ versions: '3+', default: false }),
  },
  response: {
    throttleTimeMs: int32({ default: 0 }),
    results: array({
      errorCode: int16({ default: 0 }),
      errorMessage: string({ nullable: '0+' }),
      resourceType: int8(),
      resourceName: string(),
      configs: array({
        name: string(),
        value: string({ nullable: '0+' }),
        readOnly: boolean(),
        configSource: int8({ ignorable: true, default: -1 }),
        isSensitive: boolean(),
        synonyms: array({ name: string(), value: string({ nullable: '0+' }), source: int8() }, { ignorable: true }),
        configType: int8({ versions: '3+', ignorable: true, default: 0 }),
        documentation: string({ versions: '3+', nullable: '0+', ignorable: true }),
      }),
    }),
  },
});
