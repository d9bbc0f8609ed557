import { array, bytes, int32, message, string } from '../schema.ts';

/** What the leader of a classic consumer group assigns to a member. */
export const consumerProtocolAssignment = message({
  name: 'ConsumerProtocolAssignment',
  versions: '0-3',
  flexible: 'none',
  fields: {
    assignedPartitions: array({ topic: string({ mapKey: true }), partitions: array(int32()) }),
    userData: bytes({ nullable: '0+', default: null }),
  },
});
