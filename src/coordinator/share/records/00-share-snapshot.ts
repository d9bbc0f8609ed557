import { array, int16, int32, int64, int8, message, string, uuid } from '../../../protocol/schema.ts';

/** The state of a share partition. */
export const shareSnapshotKey = message({
  name: 'ShareSnapshotKey',
  key: 0,
  versions: '0',
  flexible: 'none',
  fields: { groupId: string(), topicId: uuid(), partition: int32() },
});

/** The whole state. */
export const shareSnapshotValue = message({
  name: 'ShareSnapshotValue',
  key: 0,
  versions: '0',
  flexible: '0+',
  fields: {
    snapshotEpoch: int32(),
    stateEpoch: int32(),
    leaderEpoch: int32(),
    startOffset: int64(),
    deliveryCompleteCount: int32({ tagged: '0+', tag: 0, default: -1 }),
    createTimestamp: int64(),
    writeTimestamp: int64(),
    stateBatches: array({ firstOffset: int64(), lastOffset: int64(), deliveryState: int8(), deliveryCount: int16() }),
  },
});
