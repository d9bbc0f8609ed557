/**
 * Groups on one node, side by side with Apache Kafka 4.4.0: 1,000 groups of 10 members each, of either protocol, that send heartbeats and commit offsets, and 50
 * members that join one group at once. Needs Java and the peer script: `npm run build && node bench/groups.ts`.
 *
 *     node bench/groups.ts [--entry dist/cli/main.js] [--rounds 2] [--port 27280] [--without-kafka] [--node-option --cpu-prof]…
 */
import { parseArgs } from 'node:util';
import { RequestSender } from '../src/network/request-sender.ts';
import { nodeNetwork } from '../src/platform/node-network.ts';
import { systemClock } from '../src/platform/system-clock.ts';
import { cpuSeconds, type MeasuredBroker, residentMegabytes, startKafka, startOttla } from './brokers.ts';
import { ClassicMember } from './classic-member.ts';
import { ConsumerMember } from './consumer-member.ts';
import { GroupLoad } from './group-load.ts';
import { type Round, rowsOf, tableOf } from './report.ts';
import type { Figure } from './workloads.ts';
import { pause } from './pause.ts';

const { values: options } = parseArgs({
  options: {
    entry: { type: 'string', default: 'dist/cli/main.js' },
    rounds: { type: 'string', default: '2' },
    port: { type: 'string', default: '27280' },
    requests: { type: 'string', default: '200000' },
    'without-kafka': { type: 'boolean', default: false },
    'node-option': { type: 'string', multiple: true, default: [] },
  },
});

const GROUPS = 1000;
const MEMBERS = 10;
const CONNECTIONS = 500;
const IN_FLIGHT = 100;
const JOINING_AT_ONCE = 50;
const JOINING_BEAT_MS = 20;
const requests = Number(options.requests);

const settings = [
  'offsets.topic.replication.factor=1',
  'group.initial.rebalance.delay.ms=100',
  'group.consumer.max.session.timeout.ms=1800000',
  'group.consumer.session.timeout.ms=1800000',
  // Nobody waits for the next look at a group.
  'group.consumer.assignment.interval.ms=0',
];

const connect = (port: number): Promise<RequestSender> =>
  RequestSender.connect(
    { host: '127.0.0.1', port },
    { network: nodeNetwork, clock: systemClock, clientId: 'load', requestTimeoutMs: 120_000, connectTimeoutMs: 10_000 },
  );

/** Does something as often as asked, so many times at once, and gives what that came to. */
async function rateOf(
  name: string,
  broker: MeasuredBroker,
  senders: readonly RequestSender[],
  once: (sender: RequestSender, index: number) => Promise<unknown>,
): Promise<Figure[]> {
  let next = 0;
  const work = async (sender: RequestSender): Promise<void> => {
    for (let index = next++; index < requests; index = next++) await once(sender, index);
  };
  const run = () => Promise.all(senders.slice(0, IN_FLIGHT).map(work));
  // Once to warm up.
  await run();
  next = 0;
  const [cpu, begun] = [cpuSeconds(broker.pid), performance.now()];
  await run();
  const seconds = (performance.now() - begun) / 1000;
  return [
    { name, unit: 'requests/s', better: 'more', value: requests / seconds },
    {
      name: `${name}, broker CPU`,
      unit: 's per million',
      better: 'less',
      value: ((cpuSeconds(broker.pid) - cpu) / requests) * 1e6,
    },
  ];
}

/** Joins all at once, each over its connection, and gives the milliseconds until each has its part of one generation. */
async function joinTogether(members: readonly ClassicMember[], senders: readonly RequestSender[]): Promise<number> {
  const begun = performance.now();
  let settledMs = 0;
  const isSettled = (): boolean => {
    const generation = members[0]?.generationId ?? -1;
    const areAlike = generation > 0 && members.every(({ generationId }) => generationId === generation);
    if (areAlike && settledMs === 0) settledMs = performance.now() - begun;
    return areAlike;
  };
  const live = async (member: ClassicMember, at: number): Promise<void> => {
    const sender = senders[at] as RequestSender;
    await member.join(sender);
    while (!isSettled()) {
      await pause(JOINING_BEAT_MS);
      if (!(await member.beat(sender))) await member.join(sender);
    }
  };
  await Promise.all(members.map(live));
  return settledMs;
}

/** Ten members a group join at once, in as many groups at a time as there are connections for. */
async function joinClassic(senders: readonly RequestSender[]): Promise<ClassicMember[]> {
  const members: ClassicMember[] = [];
  let next = 0;
  const lane = async (connections: readonly RequestSender[]): Promise<void> => {
    for (let index = next++; index < GROUPS; index = next++) {
      const group = connections.map(() => new ClassicMember(`classic-${index}`));
      await joinTogether(group, connections);
      members.push(...group);
    }
  };
  const lanes = Array.from({ length: senders.length / MEMBERS }, (_, at) => senders.slice(at * MEMBERS, (at + 1) * MEMBERS));
  await Promise.all(lanes.map(lane));
  return members;
}

async function joinConsumers(senders: readonly RequestSender[]): Promise<ConsumerMember[]> {
  const members = Array.from(
    { length: GROUPS * MEMBERS },
    (_, index) => new ConsumerMember(`consumer-${index % GROUPS}`, `member-${String(index).padStart(15, '0')}`),
  );
  for (let round = 0; round < 3 || members.some(({ partitionCount }) => partitionCount === 0); round++) {
    if (round > 50) throw new Error('the groups do not come to rest');
    const waiting = members.values();
    await Promise.all(
      senders.map(async (sender) => {
        for (const member of waiting) await member.beat(sender);
      }),
    );
  }
  return members;
}

const classicStorm = (senders: readonly RequestSender[], name: string): Promise<number> =>
  joinTogether(
    Array.from({ length: JOINING_AT_ONCE }, () => new ClassicMember(name)),
    senders,
  );

/** From the first request until each of fifty has one of fifty partitions. */
async function consumerStorm(senders: readonly RequestSender[], name: string): Promise<number> {
  const begun = performance.now();
  const members = Array.from(
    { length: JOINING_AT_ONCE },
    (_, index) => new ConsumerMember(name, `joining-${String(index).padStart(14, '0')}`),
  );
  let settledMs = 0;
  const isSettled = (): boolean => {
    const [first] = members;
    const areAlike = members.every(({ epoch, partitionCount }) => epoch === first?.epoch && partitionCount === 2);
    if (areAlike && settledMs === 0) settledMs = performance.now() - begun;
    return areAlike;
  };
  await Promise.all(
    members.map(async (member, at) => {
      while (!isSettled()) {
        await member.beat(senders[at] as RequestSender);
        await pause(JOINING_BEAT_MS);
      }
    }),
  );
  return settledMs;
}

async function measure(broker: MeasuredBroker): Promise<Figure[]> {
  const load = await GroupLoad.open(broker.port);
  await load.createTopics();
  load.close();
  const senders = await Promise.all(Array.from({ length: CONNECTIONS }, () => connect(broker.port)));
  const member = <M>(all: readonly M[], index: number): M => all[(index * 7919) % all.length] as M;
  const figures: Figure[] = [];
  const begun = performance.now();
  const classic = await joinClassic(senders);
  figures.push({ name: '10,000 classic members join', unit: 'ms', better: 'less', value: performance.now() - begun });
  figures.push(...(await rateOf('classic heartbeats', broker, senders, (sender, at) => member(classic, at).beat(sender))));
  figures.push(...(await rateOf('commits of members', broker, senders, (sender, at) => member(classic, at).commit(sender, at))));
  const consumersBegun = performance.now();
  const consumers = await joinConsumers(senders);
  figures.push({ name: '10,000 consumers join', unit: 'ms', better: 'less', value: performance.now() - consumersBegun });
  figures.push(...(await rateOf('consumer heartbeats', broker, senders, (sender, at) => member(consumers, at).beat(sender))));
  for (const [name, storm] of [
    ['50 classic members at once', classicStorm],
    ['50 consumers at once', consumerStorm],
  ] as const) {
    const times: number[] = [];
    for (let round = 0; round < 9; round++) times.push(await storm(senders, `${name} ${round}`));
    figures.push({ name, unit: 'ms', better: 'less', value: times.sort((a, b) => a - b)[4] ?? Number.NaN });
  }
  figures.push({ name: 'memory after that', unit: 'MB', better: 'less', value: residentMegabytes(broker.pid) });
  for (const sender of senders) sender.close();
  return figures;
}

async function measured(broker: MeasuredBroker): Promise<Figure[]> {
  try {
    return await measure(broker);
  } finally {
    await broker.stop();
  }
}

const rounds: Round[] = [];
const firstPort = Number(options.port);
const nodeOptions = options['node-option'];
for (let round = 0; round < Number(options.rounds); round++) {
  const ottla = await measured(await startOttla(firstPort + 2 * round, { entry: options.entry, settings, nodeOptions }));
  const kafka = options['without-kafka'] ? [] : await measured(await startKafka(firstPort + 2 * round + 1, { settings }));
  rounds.push({ ottla, kafka });
}
console.log(tableOf(rowsOf(rounds)));
