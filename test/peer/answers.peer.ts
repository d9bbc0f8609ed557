import assert from 'node:assert/strict';
import { appendFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import type { Difference } from './differential/compare.ts';
import { Comparison } from './differential/comparison.ts';
import type { Exchange } from './differential/exchange.ts';
import { Recording } from './differential/recording.ts';
import { type Maker, makers, offsetWheel } from './differential/makers.ts';
import { advertisedApis } from '../server/test-node.ts';
import { type ErrorTexts, unintended } from './differential/deliberate.ts';
import { startTwoBrokers, type TwoBrokers } from './two-brokers.ts';

const seed = Number(process.env['PEER_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const requests = Number(process.env['PEER_REQUESTS'] ?? 3000);

/** What is asked about: one of them where PEER_ABOUT tells, otherwise all after each other. */
const wheels: Readonly<Record<string, readonly Maker[]>> = { everything: makers, offsets: offsetWheel };
const about = Object.keys(wheels).filter((name) => name === (process.env['PEER_ABOUT'] ?? name));

/** Where to keep what was asked and answered, for test/conformance/recorded-answers.test.ts; with PEER_ABOUT. */
const recordPath = process.env['PEER_RECORD'];

/** Nothing is done to logs that nobody asked for: when it would be done differs. Members of groups stay, though nobody hears of them. */
const QUIET = {
  'log.cleaner.backoff.ms': '3600000',
  'log.initial.task.delay.ms': '3600000',
  'group.consumer.max.session.timeout.ms': '1800000',
  'group.consumer.session.timeout.ms': '1800000',
};

/** APIs of members of groups, and of transactions, that peer tests of their own ask about: what they answer depends on more than the requests before. */
const askedElsewhere: ReadonlySet<number> = new Set([11, 12, 13, 14, 15, 16, 24, 25, 26, 27, 28, 65, 66, 68, 69]);

/** Every exchange of the run is written there, for looking into what led to a difference. */
const tracePath = process.env['PEER_TRACE'];
const describeTrace = ({ index, api, version, request, kafka, ottla }: Exchange): string =>
  JSON.stringify({ index, api: api.name, version, request, kafka, ottla });

const describeExchange = ({ index, api, version, request, differences, stateDifferences = [] }: Exchange): string =>
  [
    `seed ${seed}, request ${index}: ${api.name} v${version} ${text(request)}`,
    ...differences.slice(0, 8).map(describeDifference),
    ...stateDifferences.slice(0, 8).map((difference) => `  afterwards${describeDifference(difference)}`),
  ].join('\n');

const describeDifference = ({ path, kafka, ottla }: Difference): string =>
  `  ${path}: Kafka ${text(kafka)}, Ottla ${text(ottla)}`;

const text = (value: unknown): string => (JSON.stringify(value) ?? 'nothing').slice(0, 1000);

for (const name of about) {
  describe(`Ottla and Apache Kafka 4.4, asked about ${name}`, () => {
    let brokers: TwoBrokers;
    before(async () => {
      brokers = await startTwoBrokers(QUIET);
    });
    after(() => brokers.stop());

    it(`answer ${requests} random requests of seed ${seed} alike`, { timeout: 1_800_000 }, async () => {
      const wheel = wheels[name] ?? [];
      const made = new Set(wheel.map(({ api }) => api.key));
      const unmade = [...(await advertisedApis(brokers.ottla.port))].filter((key) => !made.has(key) && !askedElsewhere.has(key));
      if (wheel === makers) assert.deepEqual(unmade, [], 'requests are made for every API that is served');
      await askAlike(brokers, wheel);
    });
  });
}

async function askAlike(brokers: TwoBrokers, wheel: readonly Maker[]): Promise<void> {
  const comparison = new Comparison(seed, brokers, wheel);
  const different: Exchange[] = [];
  const texts: ErrorTexts = new Map();
  const counts = new Map<string, number>();
  const beginning = await comparison.begin();
  const recording = new Recording(brokers, comparison.world);
  for (const exchange of beginning) recording.add(exchange);
  for (let count = 0; count < requests; count++) {
    const exchange = await comparison.next();
    if (tracePath !== undefined) appendFileSync(tracePath, `${describeTrace(exchange)}\n`);
    recording.add(exchange);
    counts.set(exchange.api.name, (counts.get(exchange.api.name) ?? 0) + 1);
    const { stateDifferences = [] } = exchange;
    const differences = unintended(exchange, texts);
    if (differences.length === 0 && stateDifferences.length === 0) continue;
    different.push(exchange);
    console.log(describeExchange({ ...exchange, differences }));
    // What comes after would differ for this reason alone.
    if (stateDifferences.length > 0) break;
  }
  comparison.close();
  console.log(Object.fromEntries(counts));
  console.log('Texts of errors that are in other words here:', texts);
  if (recordPath !== undefined && different.length === 0) recording.write(recordPath);
  assert.equal(different.length, 0, `${different.length} of ${requests} requests were answered differently`);
}
