import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { LogManager } from '../../src/storage/log-manager.ts';
import { defaultLogManagerSettings } from '../../src/storage/log-manager-settings.ts';
import type { PartitionLog } from '../../src/storage/partition-log.ts';
import { directoryNameOf } from '../../src/storage/topic-partition.ts';
import {
  allVariants,
  applyDamage,
  expectedOf,
  fixtureConfig,
  fixtureEnvironment,
  type LogLine,
  unpackFixture,
  type Variant,
} from './disk-fixture.ts';
import { consume } from './log-facts.ts';

/** Where Kafka 4.4 does not start or loses more: what we keep instead. */
const BETTER: Readonly<Record<string, { readonly logEndOffset: number; readonly count: number; readonly line: RegExp }>> = {
  'unclean-flipped-earlier': { logEndOffset: 1783, count: 1782, line: /records are damaged on disk and lost/ },
  'unclean-garbage-checkpoint': { logEndOffset: 1783, count: 1783, line: /a checkpoint is unreadable/ },
  'unclean-garbage-epochs': { logEndOffset: 1783, count: 1783, line: /the leader epochs are unreadable/ },
  'unclean-no-partition-metadata': { logEndOffset: 1783, count: 1783, line: /^$/ },
  'unclean-no-meta-properties': { logEndOffset: 1783, count: 1783, line: /^$/ },
};

const open = async (context: TestContext, directory: string, nowMs: number) => {
  const { environment, lines } = fixtureEnvironment(nowMs);
  const manager = await LogManager.start(environment, {
    logDirectories: [directory],
    configOf: fixtureConfig,
    settings: defaultLogManagerSettings,
  });
  context.after(() => manager.abandon());
  // The only replica: everything it has is committed.
  for (const log of manager.logs) log.updateHighWatermark(log.logEndOffset);
  return { manager, lines };
};

const logOf = (manager: LogManager, topic: string, partition: number): PartitionLog => {
  const log = manager.getLog({ topic, partition });
  assert.ok(log, `${topic}-${partition} is open`);
  return log;
};

function checkAsKafka(manager: LogManager, variant: Variant): void {
  for (const [topic, { partitions }] of Object.entries(variant.client?.topics ?? {})) {
    for (const [partition, seen] of Object.entries(partitions)) {
      const log = logOf(manager, topic, Number(partition));
      assert.equal(log.logStartOffset, seen.earliest.offset, topic);
      assert.equal(log.logEndOffset, seen.latest.offset, topic);
      assert.equal(log.lastStableOffset, seen.latestReadCommitted.offset, topic);
      for (const isolation of ['read_uncommitted', 'read_committed'] as const) {
        const wanted = seen[isolation];
        // Kafka's consumer stopped at a record that does not match its checksum.
        if (wanted === undefined || variant.name === 'clean-flipped') continue;
        const { count, lastOffset, sha256 } = wanted;
        assert.deepEqual(consume(log, isolation), { count, lastOffset, sha256 }, `${topic} ${isolation}`);
      }
    }
  }
}

function checkBetter(manager: LogManager, lines: readonly LogLine[], better: (typeof BETTER)[string]): void {
  const log = logOf(manager, 'plain', 0);
  assert.equal(log.logEndOffset, better.logEndOffset);
  assert.equal(consume(log, 'read_uncommitted').count, better.count);
  const said = lines.filter(({ level }) => level === 'error').map(({ message }) => message);
  assert.match(said.join(), better.line);
}

/** Snapshots differ: where recovery crosses a segment, Kafka forgets producers whose records' times are long ago, and we do not. */
const FILES = /\.(log|index|timeindex|txnindex)$/;

/** The files of user partitions after a clean stop, with those that Kafka removes later left out. */
function sizesOf(directory: string): Map<string, number> {
  const sizes = new Map<string, number>();
  for (const name of readdirSync(directory, { recursive: true, encoding: 'utf8' })) {
    if (!FILES.test(name) || name.startsWith('__cluster_metadata')) continue;
    sizes.set(name, statSync(join(directory, name)).size);
  }
  return sizes;
}

describe('a damaged data directory', () => {
  for (const variant of allVariants()) {
    const better = BETTER[variant.name];
    const outcome = better === undefined ? 'opens as Kafka opens it' : 'keeps what Kafka 4.4 gives up';
    test(`${variant.name} ${outcome}, and is sound afterwards`, async (context) => {
      const { takenAtMs } = expectedOf(variant.base);
      const directory = unpackFixture(context, variant.base);
      applyDamage(directory, variant.ops);
      const { manager, lines } = await open(context, directory, takenAtMs);
      if (better === undefined) checkAsKafka(manager, variant);
      else checkBetter(manager, lines, better);
      const ends = new Map(manager.logs.map((log) => [directoryNameOf(log.topicPartition), log.logEndOffset]));
      await manager.shutdown({ brokerEpoch: 9 });
      assert.ok(existsSync(join(directory, '.kafka_cleanshutdown')));
      assert.ok(!existsSync(join(directory, '.lock')), 'nobody holds the directory');

      const again = await open(context, directory, takenAtMs);
      assert.deepEqual(again.lines, [], 'the second start finds nothing wrong');
      assert.deepEqual(new Map(again.manager.logs.map((log) => [directoryNameOf(log.topicPartition), log.logEndOffset])), ends);
      if (better === undefined) checkAsKafka(again.manager, variant);
    });
  }

  test('has after recovery and a clean stop the same files as with Kafka, size by size', async (context) => {
    const variant = allVariants().find(({ name }) => name === 'unclean-truncated');
    assert.ok(variant?.disk);
    const directory = unpackFixture(context, variant.base);
    applyDamage(directory, variant.ops);
    const { manager } = await open(context, directory, expectedOf(variant.base).takenAtMs);
    await manager.shutdown({ brokerEpoch: 9 });
    const wanted = Object.entries(variant.disk.files).filter(
      ([file]) => FILES.test(file) && !file.startsWith('__cluster_metadata'),
    );
    assert.deepEqual(sizesOf(directory), new Map(wanted));
  });

  test('keeps a damaged range in a file of its own', async (context) => {
    const variant = allVariants().find(({ name }) => name === 'unclean-flipped-earlier');
    assert.ok(variant);
    const directory = unpackFixture(context, variant.base);
    applyDamage(directory, variant.ops);
    const before = readFileSync(join(directory, 'plain-0/00000000000000000395.log'));
    await open(context, directory, expectedOf(variant.base).takenAtMs);
    const kept = readFileSync(join(directory, 'plain-0/00000000000000000395.18605.damaged'));
    assert.deepEqual(kept, before.subarray(18605, 18605 + kept.length));
    const after = readFileSync(join(directory, 'plain-0/00000000000000000395.log'));
    assert.deepEqual(after, Buffer.concat([before.subarray(0, 18605), before.subarray(18605 + kept.length)]));
  });
});
