import { api, array, boolean, int16, int32, int8, string } from '../schema.ts';

/** AlterConfigs. KIP-133. IncrementalAlterConfigs replaces it. */
export const alterConfigs = api({
  key: 33,
  name: 'AlterConfigs',
  versions: '0-2',
  flexible: '2+',
  listeners: ['broker', 'controller'],
  forwardable: true,
  request: {
    resources: array({
      resourceType: int8({ mapKey: true }),
      resourceName: string({ mapKey: true }),
      configs: array({ name: string({ mapKey: true }), value: string({ nullable: '0+' }) }),
    }),
    validateOnly: boolean(),
  },
  response: {
    throttleTimeMs: int32({ default: 0 }),
    responses: array({
      errorCode: int16({ default: 0 }),
      errorMessage: string({ nullable: '0+' }),
      resourceType: int8(),
      resourceName: string(),
    }),
  },
});
