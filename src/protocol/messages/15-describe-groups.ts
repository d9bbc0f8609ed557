import { api, array, boolean, bytes, int16, int32, string } from '../schema.ts';

/**
 * DescribeGroups. v3 has authorized operations (KIP-430), v4 static members (KIP-345), v6 tells a missing group as an
 * error (KIP-1043).
 */
export const describeGroups = api({
  key: 15,
  name: 'DescribeGroups',
  versions: '0-6',
  flexible: '5+',
  listeners: ['broker'],
  request: { groups: array(string()), includeAuthorizedOperations: boolean({ versions: '3+' }) },
  response: {
    throttleTimeMs: int32({ versions: '1+', ignorable: true, default: 0 }),
    groups: array({
      errorCode: int16({ default: 0 }),
      errorMessage: string({ versions: '6+', nullable: '6+', default: null }),
      groupId: string(),
      groupState: string(),
      protocolType: string(),
      protocolData: string(),
      members: array({
        memberId: string(),
        groupInstanceId: string({ versions: '4+', nullable: '4+', ignorable: true, default: null }),
        clientId: string(),
        clientHost: string(),
        memberMetadata: bytes(),
        memberAssignment: bytes(),
      }),
      authorizedOperations: int32({ versions: '3+', default: -2_147_483_648 }),
    }),
  },
});
