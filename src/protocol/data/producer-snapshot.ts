import { array, int16, int32, int64, message, uint32 } from '../schema.ts';

/** The file in which a partition's log keeps its producers' state. The CRC covers the entries. */
export const producerSnapshot = message({
  name: 'ProducerSnapshot',
  versions: '1',
  flexible: 'none',
  fields: {
    crc: uint32(),
    producerEntries: array({
      producerId: int64(),
      epoch: int16(),
      lastSequence: int32(),
      lastOffset: int64(),
      offsetDelta: int32(),
      timestamp: int64(),
      coordinatorEpoch: int32(),
      currentTxnFirstOffset: int64(),
    }),
  },
});
