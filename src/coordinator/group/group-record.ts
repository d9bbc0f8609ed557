import type { Input } from '../../protocol/schema.ts';
import type { CoordinatorRecord, CoordinatorRecordOf } from '../runtime/coordinator-record.ts';
import { coordinatorSerde } from '../runtime/coordinator-serde.ts';
import { groupRecords } from './records/index.ts';

type Schemas = typeof groupRecords;

export type GroupRecordType = keyof Schemas;

/** A record of __consumer_offsets. */
export type GroupRecord = CoordinatorRecord<Schemas>;
export type GroupRecordOf<T extends GroupRecordType> = CoordinatorRecordOf<Schemas, T>;

/** The values of a record, as they are read. */
export type GroupRecordKey<T extends GroupRecordType> = GroupRecordOf<T>['key'];
export type GroupRecordValue<T extends GroupRecordType> = NonNullable<GroupRecordOf<T>['value']>;

export const groupRecordSerde = coordinatorSerde(groupRecords);

/**
 * A record to be written. Every field of the value that has no default must be given; those that are left out are read as their defaults only once the record
 * has been through the log, so whoever replays what it has just made should give all of them.
 */
export function groupRecord<T extends GroupRecordType>(
  type: T,
  key: Input<Schemas[T]['key']>,
  { version, value }: { readonly version: number; readonly value: GroupRecordValue<T> },
): GroupRecord {
  return { type, key, version, value } as unknown as GroupRecord;
}

/** The record that removes what is kept under a key. */
export function groupTombstone<T extends GroupRecordType>(type: T, key: Input<Schemas[T]['key']>): GroupRecord {
  return { type, key, version: 0, value: null } as unknown as GroupRecord;
}
