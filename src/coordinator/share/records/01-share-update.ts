import { array, int16, int32, int64, int8, message, string, uuid } from '../../../protocol/schema.ts';

/** A change to the state of a share partition. */
export const shareUpdateKey = message({
  name: 'ShareUpdateKey',
  key: 1,
  versions: '0',
  flexible: 'none',
  fields: { groupId: string(), topicId: uuid(), partition: int32() },
});

/** What changed since the last snapshot. */
export const shareUpdateValue = message({
  name: 'ShareUpdateValue',
  key: 1,
  versions: '0',
  flexible: '0+',
  fields: {
    snapshotEpoch: int32(),
    leaderEpoch: int32(),
    startOffset: int64(),
    deliveryCompleteCount: int32({ tagged: '0+', tag: 0, default: -1 }),
    stateBatches: array({ firstOffset: int64(), lastOffset: int64(), deliveryState: int8(), deliveryCount: int16() }),
  },
});
