import { joinGroup } from '../../../src/protocol/messages/11-join-group.ts';
import { syncGroup } from '../../../src/protocol/messages/14-sync-group.ts';
import { consumerGroupHeartbeat } from '../../../src/protocol/messages/68-consumer-group-heartbeat.ts';
import type { Api } from '../../../src/protocol/schema.ts';
import type { Exchange } from './exchange.ts';
import type { Values } from './fit.ts';
import type { GroupMember } from './world.ts';

/** Longer than a run: nobody sends heartbeats. */
const SESSION_MS = 1_800_000;
const INSTANCE = 'instance';
const CONSUMER_MEMBER = 'Y29uc3VtZXItbWVtYmVyMQ';
/** Version 0, the topic `plain`, no user data. */
const SUBSCRIPTION = { hex: '0000000000010005706c61696effffffff' };

type Ask = (api: Api, version: number, request: Values) => Promise<Exchange>;

/** Lets a member into a group of each kind, which read `plain` and stay. */
export async function joinGroups(
  ask: Ask,
): Promise<{ readonly exchanges: readonly Exchange[]; readonly members: readonly GroupMember[] }> {
  const dynamic = await joinClassic(ask, 'classic', null);
  const fixed = await joinClassic(ask, 'static', INSTANCE);
  const join = { groupId: 'consumer', memberId: CONSUMER_MEMBER, memberEpoch: 0, instanceId: null, rackId: null };
  const settings = { rebalanceTimeoutMs: SESSION_MS, subscribedTopicRegex: null, serverAssignor: null };
  const request = { ...join, ...settings, subscribedTopicNames: ['plain'], topicPartitions: [] };
  const joined = await ask(consumerGroupHeartbeat, 1, request);
  const { memberEpoch } = answerTo(joined);
  const consumer = { groupId: 'consumer', memberId: CONSUMER_MEMBER, epoch: memberEpoch as number, instance: null };
  return {
    exchanges: [...dynamic.exchanges, ...fixed.exchanges, joined],
    members: [dynamic.member, fixed.member, consumer],
  };
}

async function joinClassic(ask: Ask, groupId: string, instance: string | null) {
  const groupInstanceId = instance === null ? {} : { groupInstanceId: instance };
  // Since v4 a member without an instance has to ask twice.
  const joined = await ask(joinGroup, instance === null ? 3 : 5, {
    groupId,
    sessionTimeoutMs: SESSION_MS,
    rebalanceTimeoutMs: SESSION_MS,
    memberId: '',
    ...groupInstanceId,
    protocolType: 'consumer',
    protocols: [{ name: 'range', metadata: SUBSCRIPTION }],
  });
  const { memberId, generationId } = answerTo(joined) as { memberId: string; generationId: number };
  const synced = await ask(syncGroup, instance === null ? 2 : 3, {
    groupId,
    generationId,
    memberId,
    ...groupInstanceId,
    assignments: [{ memberId, assignment: { hex: 'ea5e' } }],
  });
  const member: GroupMember = { groupId, memberId, epoch: generationId, instance };
  return { exchanges: [joined, synced], member };
}

function answerTo({ kafka, differences }: Exchange): Values {
  if (kafka.kind !== 'answered' || (kafka.response as Values)['errorCode'] !== 0 || differences.length > 0)
    throw new Error(`nobody could join: ${JSON.stringify({ kafka, differences })}`);
  return kafka.response as Values;
}
