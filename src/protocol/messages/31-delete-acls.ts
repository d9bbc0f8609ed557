import { api, array, int16, int32, int8, string } from '../schema.ts';

/** DeleteAcls. KIP-140; v1 knows pattern types (KIP-290). */
export const deleteAcls = api({
  key: 31,
  name: 'DeleteAcls',
  versions: '1-3',
  flexible: '2+',
  listeners: ['broker', 'controller'],
  forwardable: true,
  request: {
    filters: array({
      resourceTypeFilter: int8(),
      resourceNameFilter: string({ nullable: '0+' }),
      patternTypeFilter: int8({ default: 3 }),
      principalFilter: string({ nullable: '0+' }),
      hostFilter: string({ nullable: '0+' }),
      operation: int8(),
      permissionType: int8(),
    }),
  },
  response: {
    throttleTimeMs: int32({ default: 0 }),
    filterResults: array({
      errorCode: int16({ default: 0 }),
      errorMessage: string({ nullable: '0+' }),
      matchingAcls: array({
        errorCode: int16({ default: 0 }),
        errorMessage: string({ nullable: '0+' }),
        resourceType: int8(),
        resourceName: string(),
        patternType: int8({ default: 3 }),
        principal: string(),
        host: string(),
        operation: int8(),
        permissionType: int8(),
      }),
    }),
  },
});
