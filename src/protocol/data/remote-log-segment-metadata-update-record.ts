import { bytes, int32, int64, int8, message, string, struct, uuid } from '../schema.ts';

/** Tiered storage (KIP-405): a segment's next state. */
export const remoteLogSegmentMetadataUpdateRecord = message({
  name: 'RemoteLogSegmentMetadataUpdateRecord',
  key: 1,
  versions: '0',
  flexible: '0+',
  fields: {
    remoteLogSegmentId: struct({ topicIdPartition: struct({ name: string(), id: uuid(), partition: int32() }), id: uuid() }),
    brokerId: int32(),
    eventTimestampMs: int64(),
    customMetadata: bytes({ nullable: '0+', default: null }),
    remoteLogSegmentState: int8(),
  },
});
