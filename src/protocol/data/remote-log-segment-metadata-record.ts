import { array, boolean, bytes, int32, int64, int8, message, string, struct, uuid } from '../schema.ts';

/** Tiered storage (KIP-405): a segment that is being copied. */
export const remoteLogSegmentMetadataRecord = message({
  name: 'RemoteLogSegmentMetadataRecord',
  key: 0,
  versions: '0',
  flexible: '0+',
  fields: {
    remoteLogSegmentId: struct({ topicIdPartition: struct({ name: string(), id: uuid(), partition: int32() }), id: uuid() }),
    startOffset: int64(),
    endOffset: int64(),
    brokerId: int32(),
    maxTimestampMs: int64(),
    eventTimestampMs: int64(),
    segmentLeaderEpochs: array({ leaderEpoch: int32(), offset: int64() }),
    segmentSizeInBytes: int32(),
    customMetadata: bytes({ nullable: '0+', default: null }),
    remoteLogSegmentState: int8(),
    txnIndexEmpty: boolean({ tagged: '0+', tag: 0 }),
  },
});
