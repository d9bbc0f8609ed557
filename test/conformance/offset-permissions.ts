import { ZERO_UUID } from '../../src/base/uuid.ts';
import { offsetCommit } from '../../src/protocol/messages/08-offset-commit.ts';
import { offsetFetch } from '../../src/protocol/messages/09-offset-fetch.ts';
import { findCoordinator } from '../../src/protocol/messages/10-find-coordinator.ts';
import { deleteGroups } from '../../src/protocol/messages/42-delete-groups.ts';
import { offsetDelete } from '../../src/protocol/messages/47-offset-delete.ts';
import type { Api } from '../../src/protocol/schema.ts';
import type { AclOperation, ResourceType } from '../../src/security/authorizer.ts';
import { fitToVersion, type Values } from '../peer/differential/fit.ts';

/** What the sender must not do; everything else it may. */
export const denials: readonly { readonly operation: AclOperation; readonly type: ResourceType; readonly name: string }[] = [
  { operation: 'READ', type: 'TOPIC', name: 'unreadable' },
  { operation: 'DESCRIBE', type: 'TOPIC', name: 'hidden' },
  { operation: 'READ', type: 'TOPIC', name: 'no-such-secret' },
  { operation: 'READ', type: 'GROUP', name: 'no-commits' },
  { operation: 'DESCRIBE', type: 'GROUP', name: 'no-looks' },
  { operation: 'DELETE', type: 'GROUP', name: 'no-deletions' },
];

/** Topics that there are, of one partition each. */
export const permissionTopics = ['open', 'unreadable', 'hidden'];
const askedTopics = [...permissionTopics, 'no-such-secret', 'nowhere'];
const groupIds = ['free', 'no-commits', 'no-looks', 'no-deletions'];

export interface PermissionCase {
  readonly api: Api;
  readonly version: number;
  readonly request: Values;
}

/** Requests of every version about every group and topic, one after another. `idOf` gives the id of a topic that there is. */
export function permissionCases(idOf: (name: string) => string): PermissionCase[] {
  const cases: PermissionCase[] = [];
  const ask = (api: Api, make: (groupId: string) => Values, versions: readonly number[]): void => {
    for (const version of versions)
      for (const groupId of groupIds) cases.push({ api, version, request: fitToVersion(api.request, version, make(groupId)) });
  };
  const topic = (name: string) => ({ name, topicId: permissionTopics.includes(name) ? idOf(name) : ZERO_UUID });
  const offset = { partitionIndex: 0, committedOffset: 1, committedLeaderEpoch: -1, committedMetadata: null };
  const topics = askedTopics.map((name) => ({ ...topic(name), partitions: [offset] }));
  const fetched = askedTopics.map((name) => ({ ...topic(name), partitionIndexes: [0] }));
  const committer = { generationIdOrMemberEpoch: -1, memberId: '', groupInstanceId: null, retentionTimeMs: -1 };
  ask(offsetCommit, (groupId) => ({ groupId, ...committer, topics }), [2, 3, 6, 8, 9, 10]);
  for (const asked of [fetched, null]) {
    const group = (groupId: string) => ({ groupId, memberId: null, memberEpoch: -1, topics: asked });
    const request = (groupId: string) => ({ ...group(groupId), groups: [group(groupId)], requireStable: false });
    ask(offsetFetch, request, asked === null ? [2, 5, 8, 10] : [1, 2, 5, 7, 8, 9, 10]);
  }
  ask(findCoordinator, (groupId) => ({ key: groupId, keyType: 0, coordinatorKeys: [groupId, 'free'] }), [0, 1, 3, 4, 6]);
  ask(offsetDelete, (groupId) => ({ groupId, topics }), [0]);
  const all = { groupsNames: [...groupIds, 'nobody'] };
  cases.push({ api: deleteGroups, version: 1, request: all });
  return cases;
}

/** An answer without what is each cluster's own: topics by name, and no places of brokers. */
export function comparable(answer: unknown, nameOf: (topicId: string) => string): unknown {
  if (Array.isArray(answer)) {
    const entries = answer.map((entry) => comparable(entry, nameOf));
    // Offsets of all topics, and deleted groups, come in the order of a hash table.
    return entries.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  }
  if (typeof answer !== 'object' || answer === null) return answer;
  return Object.fromEntries(
    Object.entries(answer).map(([field, value]) => {
      if (field === 'topicId') return [field, nameOf(value as string)];
      if (field === 'port' || field === 'host') return [field, value === -1 || value === '' ? value : 'somewhere'];
      // Said in each program's own words.
      if (field === 'errorMessage') return [field, typeof value];
      return [field, comparable(value, nameOf)];
    }),
  );
}
