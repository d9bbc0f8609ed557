import { read } from '../../../protocol/codec.ts';
import { remoteLogSegmentMetadataRecord } from '../../../protocol/data/remote-log-segment-metadata-record.ts';
import { remoteLogSegmentMetadataSnapshotRecord } from '../../../protocol/data/remote-log-segment-metadata-snapshot-record.ts';
import { remoteLogSegmentMetadataUpdateRecord } from '../../../protocol/data/remote-log-segment-metadata-update-record.ts';
import { remotePartitionDeleteMetadataRecord } from '../../../protocol/data/remote-partition-delete-metadata-record.ts';
import type { ByteReader } from '../../../protocol/byte-reader.ts';
import { ProtocolError } from '../../../protocol/protocol-error.ts';
import { readFrame } from './metadata-contents.ts';
import type { RecordContents } from './record-contents.ts';

const SEGMENT_STATES = ['COPY_SEGMENT_STARTED', 'COPY_SEGMENT_FINISHED', 'DELETE_SEGMENT_STARTED', 'DELETE_SEGMENT_FINISHED'];
const PARTITION_STATES = ['DELETE_PARTITION_MARKED', 'DELETE_PARTITION_STARTED', 'DELETE_PARTITION_FINISHED'];

type Printer = (version: number, reader: ByteReader) => string;

/** By record type: remote log metadata has no JSON form of Kafka's; its tools print it in this one. */
const printers: readonly Printer[] = [
  (version, reader) => {
    const record = read(remoteLogSegmentMetadataRecord, version, reader);
    const facts = [
      `remoteLogSegmentId=${segmentId(record.remoteLogSegmentId)}`,
      `startOffset=${record.startOffset}`,
      `endOffset=${record.endOffset}`,
      `brokerId=${record.brokerId}`,
      `maxTimestampMs=${record.maxTimestampMs}`,
      `eventTimestampMs=${record.eventTimestampMs}`,
      ...segmentFacts(record),
    ];
    return `RemoteLogSegmentMetadata{${facts.join(', ')}}`;
  },
  (version, reader) => {
    const record = read(remoteLogSegmentMetadataUpdateRecord, version, reader);
    const facts = [
      `remoteLogSegmentId=${segmentId(record.remoteLogSegmentId)}`,
      `customMetadata=${customMetadata(record.customMetadata)}`,
      `state=${stateName(SEGMENT_STATES, record.remoteLogSegmentState)}`,
      `eventTimestampMs=${record.eventTimestampMs}`,
      `brokerId=${record.brokerId}`,
    ];
    return `RemoteLogSegmentMetadataUpdate{${facts.join(', ')}}`;
  },
  (version, reader) => {
    const record = read(remotePartitionDeleteMetadataRecord, version, reader);
    const facts = [
      `topicPartition=${partitionText(record.topicIdPartition)}`,
      `state=${stateName(PARTITION_STATES, record.remotePartitionDeleteState)}`,
      `eventTimestampMs=${record.eventTimestampMs}`,
      `brokerId=${record.brokerId}`,
    ];
    return `RemotePartitionDeleteMetadata{${facts.join(', ')}}`;
  },
  (version, reader) => {
    const record = read(remoteLogSegmentMetadataSnapshotRecord, version, reader);
    const facts = [
      `segmentId=${record.segmentId}`,
      `startOffset=${record.startOffset}`,
      `endOffset=${record.endOffset}`,
      `maxTimestampMs=${record.maxTimestampMs}`,
      ...segmentFacts(record),
    ];
    return `RemoteLogSegmentMetadataSnapshot{${facts.join(', ')}}`;
  },
];

interface TopicIdPartition {
  readonly name: string;
  readonly id: string;
  readonly partition: number;
}

const partitionText = ({ id, name, partition }: TopicIdPartition): string => `${id}:${name}-${partition}`;

const segmentId = ({ topicIdPartition, id }: { readonly topicIdPartition: TopicIdPartition; readonly id: string }): string =>
  `RemoteLogSegmentId{topicIdPartition=${partitionText(topicIdPartition)}, id=${id}}`;

const customMetadata = (bytes: Uint8Array | null): string =>
  bytes === null ? 'Optional.empty' : `Optional[CustomMetadata{${bytes.length} bytes}]`;

function stateName(names: readonly string[], state: number): string {
  const name = names[state];
  if (name === undefined) throw new ProtocolError('state can not be null');
  return name;
}

interface SegmentRecord {
  readonly segmentLeaderEpochs: readonly { readonly leaderEpoch: number; readonly offset: number }[];
  readonly segmentSizeInBytes: number;
  readonly customMetadata: Uint8Array | null;
  readonly remoteLogSegmentState: number;
  readonly txnIndexEmpty: boolean;
}

/** What a segment's record and its snapshot say in the same words. */
function segmentFacts(record: SegmentRecord): string[] {
  if (record.segmentLeaderEpochs.length === 0) throw new ProtocolError('segmentLeaderEpochs can not be null or empty');
  const epochs = record.segmentLeaderEpochs.map(({ leaderEpoch, offset }) => `${leaderEpoch}=${offset}`);
  return [
    `segmentLeaderEpochs={${epochs.join(', ')}}`,
    `segmentSizeInBytes=${record.segmentSizeInBytes}`,
    `customMetadata=${customMetadata(record.customMetadata)}`,
    `state=${stateName(SEGMENT_STATES, record.remoteLogSegmentState)}`,
    `txnIdxEmpty=${record.txnIndexEmpty}`,
  ];
}

/** `__remote_log_metadata` */
export const remoteLogContents: RecordContents = ({ offset, value }) => {
  try {
    const { type, version, reader } = readFrame(value);
    const print = printers[type];
    if (print === undefined) throw new ProtocolError(`Unknown metadata id ${type}`);
    return { key: null, payload: print(version, reader) };
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    return { key: null, payload: `Error at offset ${offset}, skipping. ${error.message}` };
  }
};
