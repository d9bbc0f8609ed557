import { array, bytes, int32, int64, message, string } from '../../../protocol/schema.ts';

const memberMetadata = {
  memberId: string(),
  groupInstanceId: string({ versions: '3+', nullable: '3+', ignorable: true, default: null }),
  clientId: string(),
  clientHost: string(),
  rebalanceTimeout: int32({ versions: '1+', ignorable: true, default: -1 }),
  sessionTimeout: int32(),
  subscription: bytes(),
  assignment: bytes(),
};

/** A classic group. */
export const groupMetadataKey = message({
  name: 'GroupMetadataKey',
  key: 2,
  versions: '0',
  flexible: 'none',
  fields: { group: string() },
});

/** The generation of a classic group and its members. */
export const groupMetadataValue = message({
  name: 'GroupMetadataValue',
  key: 2,
  versions: '0-4',
  flexible: '4+',
  fields: {
    protocolType: string(),
    generation: int32(),
    protocol: string({ nullable: '0+' }),
    leader: string({ nullable: '0+' }),
    currentStateTimestamp: int64({ versions: '2+', ignorable: true, default: -1 }),
    members: array(memberMetadata),
  },
});
