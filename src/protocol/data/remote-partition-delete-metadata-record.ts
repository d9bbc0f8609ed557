import { int32, int64, int8, message, string, struct, uuid } from '../schema.ts';

/** Tiered storage (KIP-405): the next state of a partition's deletion. */
export const remotePartitionDeleteMetadataRecord = message({
  name: 'RemotePartitionDeleteMetadataRecord',
  key: 2,
  versions: '0',
  flexible: '0+',
  fields: {
    topicIdPartition: struct({ name: string(), id: uuid(), partition: int32() }),
    brokerId: int32(),
    eventTimestampMs: int64(),
    remotePartitionDeleteState: int8(),
  },
});
