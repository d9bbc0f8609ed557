import { api, array, int16, int32, string } from '../schema.ts';

/** LeaveGroup. v3 takes several members (KIP-345), v5 a reason (KIP-800). */
export const leaveGroup = api({
  key: 13,
  name: 'LeaveGroup',
  versions: '0-5',
  flexible: '4+',
  listeners: ['broker'],
  request: {
    groupId: string(),
    memberId: string({ versions: '0-2', default: '' }),
    members: array(
      {
        memberId: string(),
        groupInstanceId: string({ nullable: '3+', default: null }),
        reason: string({ versions: '5+', nullable: '5+', ignorable: true, default: null }),
      },
      { versions: '3+' },
    ),
  },
  response: {
    throttleTimeMs: int32({ versions: '1+', ignorable: true, default: 0 }),
    errorCode: int16({ default: 0 }),
    members: array(
      { memberId: string(), groupInstanceId: string({ nullable: '3+' }), errorCode: int16({ default: 0 }) },
      { versions: '3+' },
    ),
  },
});
