import { consumerProtocolSubscription } from '../../../src/protocol/data/consumer-protocol-subscription.ts';
import { encode } from '../../../src/protocol/codec.ts';
import { heartbeat } from '../../../src/protocol/messages/12-heartbeat.ts';
import { joinGroup } from '../../../src/protocol/messages/11-join-group.ts';
import { leaveGroup } from '../../../src/protocol/messages/13-leave-group.ts';
import { syncGroup } from '../../../src/protocol/messages/14-sync-group.ts';
import { describeGroups } from '../../../src/protocol/messages/15-describe-groups.ts';
import { listGroups } from '../../../src/protocol/messages/16-list-groups.ts';
import { SimulatedRandom } from '../../../simulation/simulated-random.ts';
import type { Api } from '../../../src/protocol/schema.ts';
import type { Values } from '../differential/fit.ts';
import type { Request, Talker } from './conversation.ts';

const MEMBERS_MAX = 3;
const STATIC_VERSION = 5;
const BATCH_VERSION = 3;
const NONE = 0;
const UNKNOWN_MEMBER_ID = 25;
const MEMBER_ID_REQUIRED = 79;

/** One client, on a connection of its own. */
interface Client {
  readonly on: string;
  readonly instance: string | null;
  memberId: string;
  /** It was given an id, and has not come back with it. */
  isPending: boolean;
  generation: number;
  isLeader: boolean;
  waitsFor: 'join' | 'sync' | null;
}

/** Talks by chance of a group, such that what happens does not depend on the order of Kafka's hash tables. */
export class RandomTalker implements Talker {
  readonly name: string;
  readonly groupId: string;
  readonly #random: SimulatedRandom;
  #stepsLeft: number;
  #clients: Client[] = [];
  #count = 0;
  #asked: { readonly client: Client | null; readonly key: number } = { client: null, key: -1 };

  constructor(seed: number, steps: number, attempt: number) {
    this.name = `seed ${seed}`;
    this.groupId = `random-${seed}-${attempt}-`;
    this.#random = new SimulatedRandom(seed);
    this.#stepsLeft = steps;
  }

  next(): Request | null {
    if (this.#stepsLeft-- === 0) return null;
    const makers: readonly (() => Request | null)[] = [
      () => this.#joinAsNew(),
      () => this.#joinAsNew(),
      () => this.#joinAgain(),
      () => this.#joinAgain(),
      () => this.#joinAgain(),
      () => this.#sync(),
      () => this.#sync(),
      () => this.#sync(),
      () => this.#heartbeat(),
      () => this.#heartbeat(),
      () => this.#leave(),
      () => this.#startAgain(),
      () => this.#odd(),
      () => this.#describe(),
      () => this.#list(),
    ];
    for (;;) {
      const request = this.#random.pick(makers)();
      if (request !== null) return request;
    }
  }

  heard(answers: Readonly<Record<string, unknown>>): void {
    for (const [on, answer] of Object.entries(answers)) {
      const client = this.#clients.find((each) => each.on === on);
      if (client !== undefined) this.#heardOf(client, answer as Values);
    }
    const { client, key } = this.#asked;
    if (client === null || client.on in answers) return;
    client.waitsFor = key === joinGroup.key ? 'join' : 'sync';
  }

  #heardOf(client: Client, answer: Values): void {
    const isOfSync = client.waitsFor === 'sync' || (client.waitsFor === null && this.#asked.key !== joinGroup.key);
    client.waitsFor = null;
    if (isOfSync) return;
    const { errorCode, memberId, generationId, leader } = answer as {
      errorCode: number;
      memberId: string;
      generationId: number;
      leader: string;
    };
    if (errorCode === MEMBER_ID_REQUIRED) Object.assign(client, { memberId, isPending: true });
    else if (errorCode === NONE) {
      Object.assign(client, { memberId, isPending: false, generation: generationId, isLeader: leader === memberId });
    } else if (errorCode === UNKNOWN_MEMBER_ID || (client.memberId === '' && client.instance === null)) this.#forget(client);
  }

  #forget(client: Client): void {
    this.#clients = this.#clients.filter((each) => each !== client);
  }

  #joinAsNew(): Request | null {
    if (this.#clients.length >= MEMBERS_MAX) return null;
    const on = `c${this.#count++}`;
    const isStatic = this.#random.integer(3) === 0;
    const client: Client = {
      on,
      instance: isStatic ? `i${this.#count}` : null,
      memberId: '',
      isPending: false,
      generation: -1,
      isLeader: false,
      waitsFor: null,
    };
    this.#clients.push(client);
    return this.#join(client);
  }

  #joinAgain(): Request | null {
    const client = this.#pick(({ waitsFor, memberId }) => waitsFor === null && memberId !== '');
    return client === null ? null : this.#join(client);
  }

  /** A static member that forgot its id. */
  #startAgain(): Request | null {
    const client = this.#pick(({ waitsFor, instance }) => waitsFor === null && instance !== null);
    if (client === null) return null;
    client.memberId = '';
    return this.#join(client);
  }

  #join(client: Client): Request {
    const lowest = client.instance === null ? 0 : STATIC_VERSION;
    return this.#ask(client, joinGroup, lowest, {
      groupId: this.groupId,
      sessionTimeoutMs: 600_000,
      rebalanceTimeoutMs: 600_000,
      memberId: client.memberId,
      groupInstanceId: client.instance,
      protocolType: 'consumer',
      protocols: this.#protocols(),
      reason: 'chance',
    });
  }

  /** Mostly the same, so that members agree, and need not rebalance each time. */
  #protocols(): readonly Values[] {
    const lists = [['range'], ['range', 'sticky'], ['range', 'sticky'], ['sticky', 'range'], ['range', 'round', 'sticky']];
    const topics = this.#random.integer(6) === 0 ? ['other'] : ['topic'];
    const subscription = { topics, userData: null, ownedPartitions: [], generationId: -1, rackId: null };
    const metadata = Buffer.concat([Buffer.from([0, 1]), encode(consumerProtocolSubscription, 1, subscription)]);
    return this.#random.pick(lists).map((name) => ({ name, metadata: `hex:${metadata.toString('hex')}` }));
  }

  #sync(): Request | null {
    const client = this.#pick(({ waitsFor, generation }) => waitsFor === null && generation >= 0);
    if (client === null) return null;
    const isRight = this.#random.integer(8) > 0;
    const shared = this.#clients.filter(({ memberId }) => memberId !== '' && this.#random.integer(5) > 0);
    return this.#ask(client, syncGroup, client.instance === null ? 0 : 3, {
      groupId: this.groupId,
      generationId: isRight ? client.generation : this.#random.integer(4) - 1,
      memberId: client.memberId,
      groupInstanceId: client.instance,
      protocolType: this.#random.pick(['consumer', 'consumer', 'consumer', 'connect']),
      protocolName: this.#random.pick(['range', 'range', 'range', 'sticky']),
      assignments: client.isLeader
        ? shared.map(({ memberId }) => ({ memberId, assignment: `hex:${Buffer.from(`for ${memberId}`).toString('hex')}` }))
        : [],
    });
  }

  #heartbeat(): Request | null {
    const client = this.#pick(({ memberId }) => memberId !== '');
    if (client === null) return null;
    const isRight = this.#random.integer(5) > 0;
    return this.#aside(heartbeat, client.instance === null ? 0 : 3, {
      groupId: this.groupId,
      generationId: isRight ? client.generation : this.#random.integer(4) - 1,
      memberId: client.memberId,
      groupInstanceId: this.#random.integer(6) === 0 ? 'i1' : client.instance,
    });
  }

  /** A leader leaves when it is clear who leads after it; one that waits for its assignment stays, as Kafka would never answer it. */
  #leave(): Request | null {
    const isClear = this.#clients.length <= 2;
    const client = this.#pick(
      ({ waitsFor, memberId, isLeader }) => waitsFor === null && memberId !== '' && (!isLeader || isClear),
    );
    if (client === null) return null;
    this.#forget(client);
    const stranger = { memberId: 'stranger', groupInstanceId: this.#random.pick([null, 'i1', 'unknown']) };
    const leaver = {
      memberId: client.instance === null || this.#random.integer(2) === 0 ? client.memberId : '',
      groupInstanceId: client.instance,
    };
    const members = this.#random.integer(3) === 0 ? [stranger, leaver] : [leaver];
    const request = { groupId: this.groupId, memberId: client.memberId, members };
    return this.#aside(leaveGroup, client.instance === null && members.length === 1 ? 0 : BATCH_VERSION, request);
  }

  /** What is refused, whatever the group is like. */
  #odd(): Request {
    const join = {
      groupId: this.groupId,
      sessionTimeoutMs: 600_000,
      rebalanceTimeoutMs: 600_000,
      memberId: '',
      groupInstanceId: null,
      protocolType: 'consumer',
      protocols: [{ name: 'range', metadata: 'hex:' }],
      reason: null,
    };
    const sync = { groupId: this.groupId, generationId: 1, memberId: 'stranger', assignments: [] };
    const requests: readonly (readonly [Api, Values])[] = [
      [joinGroup, { ...join, groupId: '' }],
      [joinGroup, { ...join, sessionTimeoutMs: 199 }],
      [joinGroup, { ...join, sessionTimeoutMs: 1_800_001 }],
      [joinGroup, { ...join, memberId: 'stranger' }],
      [joinGroup, { ...join, memberId: 'stranger', groupInstanceId: 'i1' }],
      [joinGroup, { ...join, protocolType: '' }],
      [joinGroup, { ...join, protocols: [] }],
      [joinGroup, { ...join, groupId: `${this.groupId}refused`, protocols: [] }],
      [joinGroup, { ...join, groupId: `${this.groupId}absent`, memberId: 'stranger' }],
      [syncGroup, { ...sync, protocolType: 'consumer', protocolName: 'range' }],
      [syncGroup, { ...sync, protocolType: null, protocolName: null }],
      [syncGroup, { ...sync, groupId: '', protocolType: 'consumer', protocolName: 'range' }],
      [syncGroup, { ...sync, groupId: `${this.groupId}absent`, protocolType: 'consumer', protocolName: 'range' }],
      [heartbeat, { groupId: `${this.groupId}absent`, generationId: 1, memberId: 'stranger' }],
      [heartbeat, { groupId: '', generationId: 1, memberId: 'stranger' }],
      [leaveGroup, { groupId: '', memberId: 'stranger', members: [{ memberId: 'stranger' }] }],
      [leaveGroup, { groupId: `${this.groupId}absent`, memberId: 'stranger', members: [{ memberId: 'stranger' }] }],
      [leaveGroup, { groupId: this.groupId, memberId: '', members: [] }],
    ];
    const [api, request] = this.#random.pick(requests);
    return this.#aside(api, 0, request);
  }

  #describe(): Request {
    const groups = [this.groupId, ...this.#random.pick([[], [`${this.groupId}absent`], [`${this.groupId}refused`]])];
    return this.#aside(describeGroups, 0, { groups, includeAuthorizedOperations: this.#random.integer(2) === 0 });
  }

  #list(): Request {
    const states = ['Stable', 'empty', ' PREPARINGREBALANCE ', 'CompletingRebalance', 'Dead', 'nonsense', ''];
    const types = ['classic', 'Consumer', 'CLASSIC', 'share', 'nonsense', ' classic'];
    return this.#aside(listGroups, 0, { statesFilter: this.#some(states), typesFilter: this.#some(types) });
  }

  #some(texts: readonly string[]): readonly string[] {
    return this.#random.integer(2) === 0 ? [] : texts.filter(() => this.#random.integer(3) === 0);
  }

  #pick(isFit: (client: Client) => boolean): Client | null {
    const fit = this.#clients.filter(isFit);
    return fit.length === 0 ? null : this.#random.pick(fit);
  }

  #ask(client: Client, api: Api, lowest: number, request: Values): Request {
    this.#asked = { client, key: api.key };
    return { on: client.on, key: api.key, version: this.#version(api, lowest), request };
  }

  /** On a connection where nothing waits. */
  #aside(api: Api, lowest: number, request: Values): Request {
    this.#asked = { client: null, key: api.key };
    return { on: 'aside', key: api.key, version: this.#version(api, lowest), request };
  }

  #version({ maxVersion }: Api, lowest: number): number {
    return lowest + this.#random.integer(maxVersion - lowest + 1);
  }
}
