import { heartbeat } from '../../src/protocol/messages/12-heartbeat.ts';
import { joinGroup } from '../../src/protocol/messages/11-join-group.ts';
import { leaveGroup } from '../../src/protocol/messages/13-leave-group.ts';
import { syncGroup } from '../../src/protocol/messages/14-sync-group.ts';
import { describeGroups } from '../../src/protocol/messages/15-describe-groups.ts';
import { listGroups } from '../../src/protocol/messages/16-list-groups.ts';
import type { Api } from '../../src/protocol/schema.ts';
import { type AclOperation, CLUSTER_NAME, type ResourceType } from '../../src/security/authorizer.ts';
import { fitToVersion, type Values } from '../peer/differential/fit.ts';

/** What the sender must not do; everything else it may. */
export const groupDenials: readonly { readonly operation: AclOperation; readonly type: ResourceType; readonly name: string }[] = [
  { operation: 'READ', type: 'GROUP', name: 'no-members' },
  { operation: 'DESCRIBE', type: 'GROUP', name: 'no-looks' },
  { operation: 'DESCRIBE', type: 'CLUSTER', name: CLUSTER_NAME },
];

const groupIds = ['free', 'no-members', 'no-looks'];

export interface GroupPermissionCase {
  readonly api: Api;
  readonly version: number;
  readonly request: Values;
}

/** Requests of every version about every group, one after another. */
export function groupPermissionCases(): GroupPermissionCase[] {
  const cases: GroupPermissionCase[] = [];
  const ask = (api: Api, make: (groupId: string) => Values, ids: readonly string[] = groupIds): void => {
    for (let version = api.minVersion; version <= api.maxVersion; version++)
      for (const groupId of ids) cases.push({ api, version, request: fitToVersion(api.request, version, make(groupId)) });
  };
  const member = { memberId: 'stranger', groupInstanceId: null };
  const join = (groupId: string) => ({
    ...member,
    groupId,
    sessionTimeoutMs: 10_000,
    rebalanceTimeoutMs: 10_000,
    protocolType: 'consumer',
    protocols: [{ name: 'range', metadata: Buffer.alloc(0) }],
    reason: null,
  });
  ask(joinGroup, join);
  // Groups that are there: their first members are given an id.
  const request = (groupId: string) => ({ ...join(groupId), memberId: '' });
  for (const groupId of groupIds) cases.push({ api: joinGroup, version: 9, request: request(groupId) });
  ask(heartbeat, (groupId) => ({ ...member, groupId, generationId: 1 }));
  ask(leaveGroup, (groupId) => ({ groupId, memberId: 'stranger', members: [{ ...member, reason: null }] }));
  const protocol = { protocolType: 'consumer', protocolName: 'range' };
  ask(syncGroup, (groupId) => ({ ...member, ...protocol, groupId, generationId: 1, assignments: [] }));
  ask(syncGroup, (groupId) => ({
    ...member,
    protocolType: null,
    protocolName: 'range',
    groupId,
    generationId: 1,
    assignments: [],
  }));
  for (const includeAuthorizedOperations of [false, true]) {
    ask(describeGroups, () => ({ groups: [...groupIds, 'nobody'], includeAuthorizedOperations }), ['all']);
  }
  ask(listGroups, () => ({ statesFilter: [], typesFilter: [] }), ['all']);
  return cases;
}

/** An answer without the ids that its coordinator made, with groups in order. */
export function comparableAnswer(answer: unknown): unknown {
  if (answer instanceof Uint8Array) return Buffer.from(answer).toString('hex');
  if (Array.isArray(answer)) {
    return answer.map(comparableAnswer).toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  }
  if (typeof answer !== 'object' || answer === null) return answer;
  return Object.fromEntries(
    Object.entries(answer).map(([field, value]) => [
      field,
      field === 'memberId' ? String(value).replace(/-[\da-f-]{36}$/, '-its-id') : comparableAnswer(value),
    ]),
  );
}
