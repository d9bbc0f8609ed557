import { heartbeat } from '../../../src/protocol/messages/12-heartbeat.ts';
import { joinGroup } from '../../../src/protocol/messages/11-join-group.ts';
import { leaveGroup } from '../../../src/protocol/messages/13-leave-group.ts';
import { syncGroup } from '../../../src/protocol/messages/14-sync-group.ts';
import { describeGroups } from '../../../src/protocol/messages/15-describe-groups.ts';
import type { Values } from '../differential/fit.ts';
import type { Request, Talker } from './conversation.ts';

const LONG_MS = 600_000;

export type Say = (groupId: string) => Request;

interface Told {
  /** Time that passes before. */
  readonly afterMs?: number;
  readonly version?: number;
}

const join =
  (on: string, { afterMs = 0, version = joinGroup.maxVersion, ...told }: Told & Values = {}): Say =>
  (groupId) => ({
    on,
    key: joinGroup.key,
    version,
    afterMs,
    request: {
      groupId,
      sessionTimeoutMs: LONG_MS,
      rebalanceTimeoutMs: LONG_MS,
      memberId: '',
      groupInstanceId: null,
      protocolType: 'consumer',
      protocols: [{ name: 'range', metadata: 'hex:' }],
      reason: null,
      ...told,
    },
  });

const sync =
  (on: string, memberId: string, { afterMs = 0, version = 4, ...told }: Told & Values = {}): Say =>
  (groupId) => ({
    on,
    key: syncGroup.key,
    version,
    afterMs,
    request: { groupId, generationId: 1, memberId, groupInstanceId: null, assignments: [], ...told },
  });

const beat =
  (memberId: string, { afterMs = 0, version = heartbeat.maxVersion, ...told }: Told & Values = {}): Say =>
  (groupId) => ({
    on: 'aside',
    key: heartbeat.key,
    version,
    afterMs,
    request: { groupId, generationId: 1, memberId, groupInstanceId: null, ...told },
  });

const leave =
  (...members: readonly Values[]): Say =>
  (groupId) => ({
    on: 'aside',
    key: leaveGroup.key,
    version: leaveGroup.maxVersion,
    request: {
      groupId,
      members: members.map((member) => ({ memberId: '', groupInstanceId: null, reason: 'script', ...member })),
    },
  });

/** Nothing is asked but how things are after some time. */
const pass =
  (afterMs: number): Say =>
  (groupId) => ({
    on: 'aside',
    key: describeGroups.key,
    version: describeGroups.maxVersion,
    afterMs,
    request: { groups: [groupId], includeAuthorizedOperations: true },
  });

const given = (memberId: string): Values => ({ memberId, assignment: `hex:${Buffer.from(memberId).toString('hex')}` });
/** A member that neither knows nor needs its id. */
const old = { version: 3 };
const short = { sessionTimeoutMs: 1_000 };
const quick = { rebalanceTimeoutMs: 1_000 };

/** What happens when times are over, told in order. */
export const timeScripts: Readonly<Record<string, readonly Say[]>> = {
  'a member that is not heard of is gone': [
    join('a', { ...old, ...short }),
    sync('a', '<1>', { assignments: [given('<1>')] }),
    beat('<1>', { afterMs: 500 }),
    beat('<1>', { afterMs: 500 }),
    beat('<1>', { afterMs: 1_500 }),
    join('a', { memberId: '<1>' }),
  ],
  'an id that is not used is gone': [join('a', short), pass(1_500), join('a', { memberId: '<1>' }), join('a', { version: 0 })],
  'a member that does not join again in time is left out': [
    join('a', { ...old, ...quick }),
    sync('a', '<1>', { assignments: [given('<1>')] }),
    join('b', { ...old, ...quick }),
    pass(1_500),
    beat('<1>'),
    sync('b', '<2>', { generationId: 2, assignments: [given('<2>'), given('<1>')] }),
    beat('<2>', { generationId: 2 }),
  ],
  'a member that does not ask for its assignment in time is left out': [
    join('a', { ...old, ...quick }),
    sync('a', '<1>', { assignments: [given('<1>')] }),
    join('b', { ...old, ...quick }),
    join('a', { ...quick, memberId: '<1>' }),
    sync('a', '<1>', { generationId: 2, assignments: [given('<1>'), given('<2>')] }),
    pass(1_500),
    beat('<1>', { generationId: 2 }),
    beat('<2>', { generationId: 2 }),
    join('a', { ...quick, memberId: '<1>' }),
  ],
  'a leader that does not share out is left out': [
    join('a', { ...old, ...quick }),
    sync('a', '<1>'),
    join('b', { ...old, ...quick }),
    join('a', { ...quick, memberId: '<1>' }),
    sync('b', '<2>', { generationId: 2 }),
    pass(1_500),
    join('b', { ...quick, memberId: '<2>' }),
    beat('<1>', { generationId: 2 }),
  ],
  'a member that waits is not missed, and one that does not is': [
    join('a', { ...old, ...short }),
    sync('a', '<1>'),
    join('b', old),
    join('a', { ...short, memberId: '<1>' }),
    sync('a', '<1>', { generationId: 2 }),
    sync('b', '<2>', { generationId: 2 }),
    join('a', { ...short, memberId: '<1>' }),
    pass(1_500),
    join('b', { memberId: '<2>' }),
    sync('b', '<2>', { generationId: 3 }),
    pass(1_500),
    beat('<2>', { generationId: 3 }),
  ],
  'the others go on when a member is gone that they waited for': [
    join('a', { ...old, ...short }),
    sync('a', '<1>'),
    join('b', old),
    pass(1_500),
    sync('b', '<2>', { generationId: 2, assignments: [given('<2>')] }),
  ],
  'a static member is waited for, and counts though it does not come': [
    join('a', { ...quick, groupInstanceId: 'i' }),
    sync('a', '<1>', { assignments: [given('<1>')] }),
    join('b', { ...old, ...quick }),
    pass(1_500),
    sync('b', '<2>', { generationId: 2, assignments: [given('<1>'), given('<2>')] }),
    sync('c', '<1>', { generationId: 2, groupInstanceId: 'i' }),
  ],
  'nobody joins again, and sessions end it': [
    join('a', { ...quick, groupInstanceId: 'i' }),
    sync('a', '<1>', { assignments: [given('<1>')] }),
    join('b', { ...old, ...quick }),
    leave({ memberId: '<2>' }),
    pass(1_500),
    join('c', { ...quick, groupInstanceId: 'i' }),
  ],
  'a group is full': [
    join('a', old),
    sync('a', '<1>'),
    join('b', old),
    join('c', old),
    join('d', old),
    join('a', { memberId: '<1>' }),
    join('e', old),
    join('e'),
    join('e', { groupInstanceId: 'i' }),
    join('e', { memberId: 'stranger' }),
    join('b', { memberId: '<2>' }),
  ],
  'a member that waits is removed': [
    join('a', old),
    sync('a', '<1>'),
    join('b', old),
    leave({ memberId: '<2>' }),
    join('b', { groupInstanceId: 'i' }),
    join('c', { groupInstanceId: 'i' }),
    leave({ groupInstanceId: 'i' }),
    leave({ memberId: 'stranger', groupInstanceId: 'i' }, { memberId: '<1>', groupInstanceId: 'i' }, { memberId: '<1>' }),
  ],
  'static members start again': [
    join('a', { groupInstanceId: 'i' }),
    sync('a', '<1>', { assignments: [given('<1>')] }),
    join('b', { groupInstanceId: 'i', version: 8 }),
    beat('<1>', { groupInstanceId: 'i' }),
    beat('<1>'),
    sync('a', '<1>', { groupInstanceId: 'i' }),
    sync('b', '<2>', { groupInstanceId: 'i' }),
    join('c', { groupInstanceId: 'i' }),
    join('d', { groupInstanceId: 'i', protocols: [{ name: 'range', metadata: 'hex:01' }] }),
    join('d', { groupInstanceId: 'i', protocols: [{ name: 'sticky', metadata: 'hex:' }] }),
    join('d', { groupInstanceId: 'i', memberId: '<1>' }),
    join('e', { groupInstanceId: 'j' }),
    join('f', { groupInstanceId: 'j' }),
    join('g', { groupInstanceId: 'k', memberId: '<3>' }),
    join('g', { groupInstanceId: 'i', memberId: 'stranger' }),
  ],
  'timeouts of nothing': [
    join('a', { ...old, rebalanceTimeoutMs: 0 }),
    sync('a', '<1>', { afterMs: 50 }),
    join('b', { ...old, rebalanceTimeoutMs: -1 }),
    pass(100),
  ],
};

/** The first rebalance waits for more members. */
export const delayScripts: Readonly<Record<string, readonly Say[]>> = {
  'a group waits for its first members': [
    join('a', old),
    join('b', { ...old, afterMs: 500 }),
    pass(1_000),
    pass(1_500),
    sync('a', '<1>', { assignments: [given('<1>'), given('<2>')] }),
  ],
  'a group waits no longer than its first member does': [
    join('a', { ...old, rebalanceTimeoutMs: 3_000 }),
    join('b', { ...old, afterMs: 500 }),
    join('c', { ...old, afterMs: 1_000 }),
    pass(1_000),
    pass(1_000),
  ],
  'a group waits for nobody': [join('a', old), leave({ memberId: '<1>' }), pass(2_000), join('a', old), pass(2_000)],
};

/** Says what a script says. */
export class ScriptedTalker implements Talker {
  readonly name: string;
  readonly groupId: string;
  readonly #script: readonly Say[];
  #said = 0;

  constructor(name: string, script: readonly Say[], attempt: number) {
    this.name = name;
    this.groupId = `${name}-${attempt}-`;
    this.#script = script;
  }

  next(): Request | null {
    return this.#script[this.#said++]?.(this.groupId) ?? null;
  }

  heard(): void {
    // A script goes on whatever it hears.
  }
}
