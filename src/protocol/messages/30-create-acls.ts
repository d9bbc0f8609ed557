import { api, array, int16, int32, int8, string } from '../schema.ts';

/** CreateAcls. KIP-140; v1 knows pattern types (KIP-290). */
export const createAcls = api({
  key: 30,
  name: 'CreateAcls',
  versions: '1-3',
  flexible: '2+',
  listeners: ['broker', 'controller'],
  forwardable: true,
  request: {
    creations: array({
      resourceType: int8(),
      resourceName: string(),
      resourcePatternType: int8({ default: 3 }),
      principal: string(),
      host: string(),
      operation: int8(),
      permissionType: int8(),
    }),
  },
  response: {
    throttleTimeMs: int32({ default: 0 }),
    results: array({ errorCode: int16({ default: 0 }), errorMessage: string({ nullable: '0+' }) }),
  },
});
