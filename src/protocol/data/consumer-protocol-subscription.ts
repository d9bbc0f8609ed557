import { array, bytes, int32, message, string } from '../schema.ts';

/**
 * What a member of a classic consumer group subscribes to. v1 lists owned partitions (KIP-429), v2 the generation
 * (KIP-792), v3 the rack (KIP-881).
 */
export const consumerProtocolSubscription = message({
  name: 'ConsumerProtocolSubscription',
  versions: '0-3',
  flexible: 'none',
  fields: {
    topics: array(string()),
    userData: bytes({ nullable: '0+', default: null }),
    ownedPartitions: array({ topic: string({ mapKey: true }), partitions: array(int32()) }, { versions: '1+', ignorable: true }),
    generationId: int32({ versions: '2+', ignorable: true, default: -1 }),
    rackId: string({ versions: '3+', nullable: '3+', ignorable: true, default: null }),
  },
});
