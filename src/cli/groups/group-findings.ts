import type { GroupDescription, MemberDescription } from '../../client/admin-groups.ts';
import type { ClusterMetadata } from '../../client/cluster-metadata.ts';
import { among, keyOf, type TopicPartition, without } from '../../client/topic-partition.ts';
import { plural } from '../wording.ts';
import { type GroupPartition, type GroupSnapshot, lagOf } from './group-snapshot.ts';
import { assignmentText } from './group-tables.ts';

/** Something that keeps a group, or a part of it, from going on. */
export interface Finding {
  /** For programs. */
  readonly code: string;
  readonly text: string;
  readonly remedy: string | null;
}

const finding = (code: string, text: string, remedy: string | null = null): Finding => ({ code, text, remedy });

/** Why a group does not move, as far as the brokers tell: not when a member was last heard of, and not where it stands between commits. */
export function findingsOf({ group, partitions }: GroupSnapshot, metadata: ClusterMetadata): Finding[] {
  return [
    ...stateFindings(group, partitions),
    ...memberFindings(group),
    ...ownerFindings(group, metadata),
    ...partitions.flatMap((partition) => partitionFindings(partition, metadata)),
  ];
}

/** What was looked at twice and did not move: partitions with records to read, with an owner, and without a commit in between. */
export function stuckFindings(before: GroupSnapshot, after: GroupSnapshot, apartMs: number): Finding[] {
  const offsets = new Map(before.partitions.map((partition) => [keyOf(partition), partition.committed?.offset ?? null]));
  return after.partitions.flatMap((partition) => {
    const { topic, committed, member, positions } = partition;
    const offset = committed?.offset ?? null;
    const waiting = (positions.highWatermark ?? 0) - (offset ?? positions.logStart ?? 0);
    if (member === null || waiting <= 0 || !offsets.has(keyOf(partition)) || offsets.get(keyOf(partition)) !== offset) return [];
    const name = `${topic}-${partition.partition}`;
    const text = `${name}: ${nameOf(member)} has committed nothing for ${secondsText(apartMs)}, and ${plural(waiting, 'record')} ${waiting === 1 ? 'waits' : 'wait'}.`;
    return [finding('stuck', text, 'It may be busy with what it has, fail at one record again and again, or not commit at all.')];
  });
}

const secondsText = (ms: number): string => (ms < 1000 ? `${ms} ms` : plural(Math.round(ms / 1000), 'second'));

function stateFindings(group: GroupDescription, partitions: readonly GroupPartition[]): Finding[] {
  const { state, members, groupEpoch, targetEpoch } = group;
  const lag = partitions.reduce((sum, partition) => sum + Math.max(0, lagOf(partition) ?? 0), 0);
  switch (state) {
    case 'Empty':
      return lag === 0
        ? []
        : [finding('no-members', `The group has no members, and ${plural(lag, 'record')} to read.`, 'Start a consumer.')];
    case 'PreparingRebalance':
      return [
        finding(
          'joining',
          `The group waits for its ${plural(members.length, 'member')} to join again. The last one that does not holds up all others, until its max.poll.interval.ms is over; the protocol does not tell which one it is.`,
          'Look for a consumer that works for long between two polls.',
        ),
      ];
    case 'CompletingRebalance':
      return [
        finding(
          'waiting-for-leader',
          `All ${plural(members.length, 'member')} have joined and wait for the one among them that divides the partitions.`,
          'Look whether that consumer is stuck; the group goes on without it when its session ends.',
        ),
      ];
    case 'Assigning':
      return [
        finding(
          'assigning',
          `The coordinator has not divided the partitions for epoch ${groupEpoch} yet; it is at ${targetEpoch}.`,
        ),
      ];
    default:
      return [];
  }
}

const nameOf = ({ memberId, clientId, host, instanceId }: MemberDescription): string =>
  `${instanceId === null ? memberId : `${instanceId} (${memberId})`}, client ${clientId} at ${host.replace(/^\//, '')}`;

/** Who has not given up, and who waits for that. */
function memberFindings({ type, members, groupEpoch }: GroupDescription): Finding[] {
  if (type === 'Classic') return [];
  return members.flatMap((member) => {
    const target = member.target ?? [];
    const kept = without(member.assignment, target);
    if (kept.length > 0) {
      const waiting = members.filter((other) => other !== member && among(other.target ?? [], kept).length > 0);
      const whom = waiting.length === 0 ? '' : `: it holds up ${waiting.map(nameOf).join('; ')}`;
      const text = `Member ${nameOf(member)} has to give up ${assignmentText(kept)} and has not said so yet${whom}.`;
      return [
        finding(
          'revoking',
          text,
          'It says so with its next poll; if it does not poll within its rebalance timeout, it is thrown out.',
        ),
      ];
    }
    const missing = without(target, member.assignment);
    const isFree = (place: TopicPartition): boolean => members.every(({ assignment }) => among(assignment, [place]).length === 0);
    const free = missing.filter(isFree);
    if (free.length > 0) {
      return [
        finding(
          'not-taken',
          `Member ${nameOf(member)} has not taken ${assignmentText(free)} yet, which nobody else holds.`,
          'It takes them with its next heartbeat, if it is alive.',
        ),
      ];
    }
    const isBehind = groupEpoch !== null && member.epoch !== null && member.epoch < groupEpoch && missing.length === 0;
    return isBehind
      ? [finding('behind', `Member ${nameOf(member)} is at epoch ${member.epoch}, the group at ${groupEpoch}.`)]
      : [];
  });
}

/** Partitions without a member, and members without a partition. */
function ownerFindings({ state, members }: GroupDescription, metadata: ClusterMetadata): Finding[] {
  if (state !== 'Stable' || members.length === 0) return [];
  const topics = [...new Set(members.flatMap((member) => member.topics))].sort();
  const owned = new Set(members.flatMap(({ assignment, target }) => [...assignment, ...(target ?? [])]).map(keyOf));
  const findings = topics.flatMap((topic) => {
    const facts = metadata.topic(topic);
    if (facts === null) return [finding('no-topic', `The members subscribe to "${topic}", which does not exist.`)];
    const free = facts.partitions.map(({ partition }) => ({ topic, partition })).filter((place) => !owned.has(keyOf(place)));
    if (free.length === 0) return [];
    return [
      finding(
        'unowned',
        `Nobody owns ${assignmentText(free)}.`,
        'Members look for new partitions every metadata.max.age.ms, five minutes if nothing else is said.',
      ),
    ];
  });
  const idle = members.filter(({ assignment, target }) => assignment.length === 0 && (target ?? []).length === 0).length;
  if (idle === 0) return findings;
  return [
    ...findings,
    finding(
      'idle-members',
      `${plural(idle, 'member')} of ${members.length} ${idle === 1 ? 'has' : 'have'} no partition: there are more members than partitions.`,
    ),
  ];
}

function partitionFindings(partition: GroupPartition, metadata: ClusterMetadata): Finding[] {
  const { topic, committed, positions } = partition;
  const { logStart, lastStable, highWatermark, logEnd } = positions;
  const name = `${topic}-${partition.partition}`;
  const facts = metadata.partition(topic, partition.partition);
  if (facts === null)
    return [finding('gone', `${name} does not exist any more.`, 'Forget its offset with "ottla groups delete-offsets".')];
  if (facts.leader < 0)
    return [
      finding(
        'no-leader',
        `${name} has no leader: nobody can read it.`,
        `Bring one of its replicas back: ${facts.replicas.join(', ')}.`,
      ),
    ];
  const findings: Finding[] = [];
  const offset = committed?.offset ?? null;
  if (offset !== null && logStart !== null && offset < logStart) {
    findings.push(
      finding(
        'expired',
        `${name}: ${plural(logStart - offset, 'record')} that the group had not read ${logStart - offset === 1 ? 'is' : 'are'} deleted: it has committed ${offset}, and the log starts at ${logStart}.`,
        'Its reader goes on where auto.offset.reset says.',
      ),
    );
  }
  if (offset !== null && highWatermark !== null && offset > highWatermark) {
    findings.push(
      finding(
        'beyond-end',
        `${name}: the group has committed ${offset}, and the log ends at ${highWatermark}: records were lost, or the topic is another.`,
        'Set the offset with "ottla groups reset-offsets".',
      ),
    );
  }
  if (lastStable !== null && highWatermark !== null && lastStable < highWatermark) {
    findings.push(
      finding(
        'open-transaction',
        `${name}: an open transaction holds readers of committed records at ${lastStable}; ${plural(highWatermark - lastStable, 'record')} behind it cannot be read.`,
      ),
    );
  }
  if (highWatermark !== null && logEnd !== null && highWatermark < logEnd) {
    findings.push(
      finding(
        'not-replicated',
        `${name}: the in-sync replicas do not all have the last ${plural(logEnd - highWatermark, 'record')} yet, so that nobody may read them.`,
      ),
    );
  }
  return findings;
}
