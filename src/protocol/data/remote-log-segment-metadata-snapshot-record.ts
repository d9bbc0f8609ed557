import { array, boolean, bytes, int32, int64, int8, message, uuid } from '../schema.ts';

/** Tiered storage (KIP-405): a segment's metadata in a snapshot. */
export const remoteLogSegmentMetadataSnapshotRecord = message({
  name: 'RemoteLogSegmentMetadataSnapshotRecord',
  key: 3,
  versions: '0',
  flexible: '0+',
  fields: {
    segmentId: uuid(),
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
