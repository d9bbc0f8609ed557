import { readInt16 } from '../../../base/bytes/big-endian.ts';
import { groupRecords } from '../../../coordinator/group/records/index.ts';
import { shareRecords } from '../../../coordinator/share/records/index.ts';
import { transactionRecords } from '../../../coordinator/transaction/records/index.ts';
import { decode } from '../../../protocol/codec.ts';
import { consumerProtocolAssignment } from '../../../protocol/data/consumer-protocol-assignment.ts';
import { consumerProtocolSubscription } from '../../../protocol/data/consumer-protocol-subscription.ts';
import { type Json, toJson, toJsonText } from '../../../protocol/json.ts';
import { ProtocolError } from '../../../protocol/protocol-error.ts';
import type { Infer, Message } from '../../../protocol/schema.ts';
import { includesVersion } from '../../../protocol/versions.ts';
import { DumpLogError } from './dump-output.ts';
import type { PrintedContents, RecordContents } from './record-contents.ts';

interface RecordType {
  readonly key: Message;
  readonly value: Message;
}

const VERSION_BYTES = 2;
/** Keys carry the type of the record where other messages carry a version; the schema of each key has but one version. */
const KEY_VERSION = 0;

type ValueText = (type: number, version: number, value: Uint8Array, schema: Message) => string;

/** The records of a coordinator's log: a key that names its type, a value that names its version, both as JSON. */
function coordinatorContents(
  records: Readonly<Record<string, RecordType>>,
  valueText: ValueText = plainValueText,
): RecordContents {
  const typeByKey = new Map(Object.values(records).map((record) => [record.key.key ?? -1, record]));
  return ({ offset, key, value }): PrintedContents => {
    if (key === null)
      throw new DumpLogError(
        `Failed to decode message at offset ${offset} using the specified decoder (message had a missing key)`,
      );
    try {
      if (key.length < VERSION_BYTES) throw new ProtocolError("Could not read version from key's buffer.");
      const type = readInt16(key, 0);
      const record = typeByKey.get(type);
      if (record === undefined) return { key: `Unknown record type ${type} at offset ${offset}, skipping.`, payload: null };
      const keyData = decode(record.key, KEY_VERSION, key.subarray(VERSION_BYTES));
      const keyText = `{"type":"${type}","data":${toJsonText(record.key, KEY_VERSION, keyData)}}`;
      return { key: keyText, payload: value === null ? '<DELETE>' : versionedText(type, value, record.value, valueText) };
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      return { key: `Error at offset ${offset}, skipping. ${error.message}`, payload: null };
    }
  };
}

function versionedText(type: number, value: Uint8Array, schema: Message, valueText: ValueText): string {
  if (value.length < VERSION_BYTES) throw new ProtocolError("Could not read version from value's buffer.");
  const version = readInt16(value, 0);
  if (!includesVersion(schema.versions, version))
    throw new ProtocolError(`Found an unknown record version ${version} for ${type} type`);
  return `{"version":"${version}","data":${valueText(type, version, value.subarray(VERSION_BYTES), schema)}}`;
}

function plainValueText(_type: number, version: number, value: Uint8Array, schema: Message): string {
  return toJsonText(schema, version, decode(schema, version, value));
}

const { GroupMetadata } = groupRecords;
const CONSUMER_PROTOCOL_TYPE = 'consumer';

/** A group of consumers has its members' subscriptions and assignments as bytes; they are shown as what they mean. */
function groupValueText(type: number, version: number, value: Uint8Array, schema: Message): string {
  if (type !== GroupMetadata.value.key) return plainValueText(type, version, value, schema);
  const group = decode(GroupMetadata.value, version, value);
  const json = toJson(GroupMetadata.value, version, group) as { readonly members: readonly Record<string, Json>[] };
  if (group.protocolType !== CONSUMER_PROTOCOL_TYPE) return JSON.stringify(json);
  const members = json.members.map((member, index) => ({ ...member, ...memberJson(group.members[index]) }));
  return JSON.stringify({ ...json, members });
}

type GroupMember = Infer<typeof GroupMetadata.value>['members'][number];

function memberJson(member: GroupMember | undefined): Record<string, Json> {
  if (member === undefined) return {};
  return {
    ...(member.subscription.length === 0
      ? {}
      : { subscription: embeddedJson(consumerProtocolSubscription, member.subscription) }),
    ...(member.assignment.length === 0 ? {} : { assignment: embeddedJson(consumerProtocolAssignment, member.assignment) }),
  };
}

/** A message that names its version in its first bytes. A newer one than is known reads as the newest known: fields are only added. */
function embeddedJson(schema: Message, bytes: Uint8Array): Json {
  const version = readInt16(bytes, 0);
  const newest = Number(schema.versions.split('-').at(-1));
  const known = Math.max(0, Math.min(version, newest));
  return toJson(schema, known, decode(schema, known, bytes.subarray(VERSION_BYTES)));
}

const { TransactionLog } = transactionRecords;

/** The states of a transaction by their numbers in the log. */
const TRANSACTION_STATES = [
  'Empty',
  'Ongoing',
  'PrepareCommit',
  'PrepareAbort',
  'CompleteCommit',
  'CompleteAbort',
  'Dead',
  'PrepareEpochFence',
];

function transactionValueText(_type: number, version: number, value: Uint8Array): string {
  const data = decode(TransactionLog.value, version, value);
  const json = toJson(TransactionLog.value, version, data) as Record<string, Json>;
  const transactionStatus = TRANSACTION_STATES[data.transactionStatus] ?? String(data.transactionStatus);
  return JSON.stringify({ ...json, transactionStatus });
}

/** `__consumer_offsets` */
export const groupContents = coordinatorContents(groupRecords, groupValueText);
/** `__transaction_state` */
export const transactionContents = coordinatorContents(transactionRecords, transactionValueText);
/** `__share_group_state` */
export const shareContents = coordinatorContents(shareRecords);
