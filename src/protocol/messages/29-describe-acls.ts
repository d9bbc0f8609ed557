import { api, array, int16, int32, int8, string } from '../schema.ts';

/** DescribeAcls. KIP-140; v1 knows pattern types (KIP-290). */
export const describeAcls = api({
  key: 29,
  name: 'DescribeAcls',
  versions: '1-3',
  flexible: '2+',
  listeners: ['broker', 'controller'],
  request: {
    resourceTypeFilter: int8(),
    resourceNameFilter: string({ nullable: '0+' }),
    patternTypeFilter: int8({ default: 3 }),
    principalFilter: string({ nullable: '0+' }),
    hostFilter: string({ nullable: '0+' }),
    operation: int8(),
    permissionType: int8(),
  },
  response: {
    throttleTimeMs: int32({ default: 0 }),
    errorCode: int16({ default: 0 }),
    errorMessage: string({ nullable: '0+' }),
    resources: array({
      resourceType: int8(),
      resourceName: string(),
      patternType: int8({ default: 3 }),
      acls: array({ principal: string(), host: string(), operation: int8(), permissionType: int8() }),
    }),
  },
});
