import { groupRecords } from '../../src/coordinator/group/records/index.ts';
import { shareRecords } from '../../src/coordinator/share/records/index.ts';
import { transactionRecords } from '../../src/coordinator/transaction/records/index.ts';
import { metadataRecords } from '../../src/metadata/records/index.ts';
import { abortedTxn } from '../../src/protocol/data/aborted-txn.ts';
import { consumerProtocolAssignment } from '../../src/protocol/data/consumer-protocol-assignment.ts';
import { consumerProtocolSubscription } from '../../src/protocol/data/consumer-protocol-subscription.ts';
import { controlRecordTypeSchema } from '../../src/protocol/data/control-record-type-schema.ts';
import { defaultPrincipalData } from '../../src/protocol/data/default-principal-data.ts';
import { endTxnMarker } from '../../src/protocol/data/end-txn-marker.ts';
import { kRaftVersionRecord } from '../../src/protocol/data/kraft-version-record.ts';
import { leaderChangeMessage } from '../../src/protocol/data/leader-change-message.ts';
import { producerSnapshot } from '../../src/protocol/data/producer-snapshot.ts';
import { quorumStateData } from '../../src/protocol/data/quorum-state-data.ts';
import { remoteLogSegmentMetadataRecord } from '../../src/protocol/data/remote-log-segment-metadata-record.ts';
import { remoteLogSegmentMetadataSnapshotRecord } from '../../src/protocol/data/remote-log-segment-metadata-snapshot-record.ts';
import { remoteLogSegmentMetadataUpdateRecord } from '../../src/protocol/data/remote-log-segment-metadata-update-record.ts';
import { remotePartitionDeleteMetadataRecord } from '../../src/protocol/data/remote-partition-delete-metadata-record.ts';
import { requestHeader } from '../../src/protocol/data/request-header.ts';
import { responseHeader } from '../../src/protocol/data/response-header.ts';
import { snapshotFooterRecord } from '../../src/protocol/data/snapshot-footer-record.ts';
import { snapshotHeaderRecord } from '../../src/protocol/data/snapshot-header-record.ts';
import { subscriptionInfoData } from '../../src/protocol/data/subscription-info-data.ts';
import { votersRecord } from '../../src/protocol/data/voters-record.ts';
import { apis } from '../../src/protocol/messages/index.ts';
import type { Message } from '../../src/protocol/schema.ts';
import { versionRange } from '../../src/protocol/versions.ts';

const coordinatorRecords = [groupRecords, transactionRecords, shareRecords].flatMap((table) =>
  Object.values(table as Readonly<Record<string, { readonly key: Message; readonly value: Message }>>).flatMap(
    ({ key, value }) => [key, value],
  ),
);

const dataSchemas: readonly Message[] = [
  abortedTxn,
  consumerProtocolAssignment,
  consumerProtocolSubscription,
  controlRecordTypeSchema,
  defaultPrincipalData,
  endTxnMarker,
  kRaftVersionRecord,
  leaderChangeMessage,
  producerSnapshot,
  quorumStateData,
  remoteLogSegmentMetadataRecord,
  remoteLogSegmentMetadataSnapshotRecord,
  remoteLogSegmentMetadataUpdateRecord,
  remotePartitionDeleteMetadataRecord,
  requestHeader,
  responseHeader,
  snapshotFooterRecord,
  snapshotHeaderRecord,
  subscriptionInfoData,
  votersRecord,
];

/** Every schema of the program, by name. */
export const allSchemas: ReadonlyMap<string, Message> = new Map(
  [
    ...apis.flatMap((api) => [api.request, api.response]),
    ...Object.values(metadataRecords),
    ...coordinatorRecords,
    ...dataSchemas,
  ].map((schema): [string, Message] => [schema.name, schema]),
);

export function schemaNamed(name: string): Message {
  const schema = allSchemas.get(name);
  if (schema === undefined) throw new Error(`There is no schema ${name}`);
  return schema;
}

export function versionsOf(schema: Message): number[] {
  const { min, max } = versionRange(schema.versions);
  return Array.from({ length: max - min + 1 }, (_, index) => min + index);
}
