import { readInt16 } from '../../base/bytes/big-endian.ts';
import { decode, encode, ProtocolError } from '../../protocol/codec.ts';
import { consumerProtocolAssignment } from '../../protocol/data/consumer-protocol-assignment.ts';
import { consumerProtocolSubscription } from '../../protocol/data/consumer-protocol-subscription.ts';
import { partitionsByTopic, type TopicPartition } from '../topic-partition.ts';
import type { MemberSubscription } from './assignors/assignor.ts';

/** The type of every group of consumers, among the groups that use the classic protocol for something else. */
export const CONSUMER_PROTOCOL_TYPE = 'consumer';

const SUBSCRIPTION_VERSION = 3;
const ASSIGNMENT_VERSION = 3;
const VERSION_BYTES = 2;

interface SubscriptionFacts {
  readonly topics: readonly string[];
  readonly owned: readonly TopicPartition[];
  readonly generation: number;
  readonly rackId: string;
}

/** What a member tells the leader. Cooperative-sticky members of old clients look for the generation in the user data. */
export function encodeSubscription({ topics, owned, generation, rackId }: SubscriptionFacts): Buffer {
  const userData = Buffer.alloc(4);
  userData.writeInt32BE(generation);
  const message = encode(consumerProtocolSubscription, SUBSCRIPTION_VERSION, {
    topics: topics.toSorted(),
    userData,
    ownedPartitions: topicsOf(owned),
    generationId: generation,
    rackId: rackId === '' ? null : rackId,
  });
  return versioned(SUBSCRIPTION_VERSION, message);
}

/** Reads what a member of any client told; newer versions only add to the end. Throws ProtocolError. */
export function decodeSubscription(memberId: string, instanceId: string | null, bytes: Buffer): MemberSubscription {
  const version = versionOf(bytes, SUBSCRIPTION_VERSION);
  const message = decode(consumerProtocolSubscription, version, bytes.subarray(VERSION_BYTES));
  const { topics, ownedPartitions, generationId: generation } = message;
  return { memberId, instanceId, topics, owned: placesOf(ownedPartitions), generation };
}

export const encodeAssignment = (places: readonly TopicPartition[]): Buffer =>
  versioned(ASSIGNMENT_VERSION, encode(consumerProtocolAssignment, ASSIGNMENT_VERSION, { assignedPartitions: topicsOf(places) }));

/** Reads what the leader assigned; nothing at all means no partitions. Throws ProtocolError. */
export function decodeAssignment(bytes: Buffer): TopicPartition[] {
  if (bytes.length === 0) return [];
  const version = versionOf(bytes, ASSIGNMENT_VERSION);
  return placesOf(decode(consumerProtocolAssignment, version, bytes.subarray(VERSION_BYTES)).assignedPartitions);
}

function versioned(version: number, message: Buffer): Buffer {
  const prefix = Buffer.alloc(VERSION_BYTES);
  prefix.writeInt16BE(version);
  return Buffer.concat([prefix, message]);
}

function versionOf(bytes: Buffer, newest: number): number {
  if (bytes.length < VERSION_BYTES) throw new ProtocolError('What the member sent ends before its version');
  const version = readInt16(bytes, 0);
  if (version < 0) throw new ProtocolError(`What the member sent has version ${version}`);
  return Math.min(version, newest);
}

const topicsOf = (places: readonly TopicPartition[]): { topic: string; partitions: number[] }[] =>
  [...partitionsByTopic(places)].map(([topic, partitions]) => ({ topic, partitions }));

const placesOf = (topics: readonly { readonly topic: string; readonly partitions: readonly number[] }[]): TopicPartition[] =>
  topics.flatMap(({ topic, partitions }) => partitions.map((partition) => ({ topic, partition })));
