import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { batchesOf } from '../../src/protocol/records/batches.ts';
import { RecordBatch } from '../../src/protocol/records/record-batch.ts';
import { PartitionLog } from '../../src/storage/partition-log.ts';
import { expectedOf, fixtureConfig, fixtureEnvironment, temporaryDirectory, unpackFixture } from './disk-fixture.ts';

const PARTITIONS: Readonly<Record<string, readonly string[]>> = {
  plain: ['plain-0', 'append-time-0', 'names-with.dots_and-dashes-0-0', 'trimmed-0', 'trimmed-1'],
  transactions: ['txn-a-0', 'txn-b-0', 'txn-b-1', '__transaction_state-0', '__consumer_offsets-0'],
  'transactions-v0': ['txn-a-0', 'txn-b-0', 'txn-b-1'],
};

/** The batches of a partition's files, as a client or coordinator sends them. */
function batchesIn(directory: string): RecordBatch[] {
  const logs = readdirSync(directory).filter((name) => name.endsWith('.log'));
  return logs.sort().flatMap((name) => [...batchesOf(readFileSync(join(directory, name)))]);
}

describe('the same batches appended with the same configs make the files that Kafka made, byte for byte', () => {
  for (const [fixture, partitions] of Object.entries(PARTITIONS)) {
    for (const partition of partitions) {
      for (const role of ['leader', 'follower'] as const) {
        test(`${fixture}: ${partition}, by a ${role}`, async (context) => {
          const expected = expectedOf(fixture);
          const facts = expected.partitions[partition];
          assert.ok(facts);
          const source = join(unpackFixture(context, fixture), partition);
          const directory = join(temporaryDirectory(context), partition);
          const { environment, clock } = fixtureEnvironment(expected.takenAtMs);
          const dash = partition.lastIndexOf('-');
          const topic = partition.slice(0, dash);
          const log = PartitionLog.open(environment, {
            directory,
            topicPartition: { topic, partition: Number(partition.slice(dash + 1)) },
            topicId: facts.topicId,
            config: fixtureConfig(topic),
            logStartOffset: 0,
            recoveryPoint: 0,
            hadCleanShutdown: true,
          });
          log.assignEpochStartOffset(0, 0);
          for (const batch of batchesIn(source)) {
            const bytes = Buffer.from(batch.view());
            if (role === 'follower') {
              log.appendAsFollower(bytes);
              continue;
            }
            const origin = batch.isControl || topic.startsWith('__') ? 'coordinator' : 'client';
            clock.jump(batch.maxTimestamp - clock.now());
            const copy = new RecordBatch(bytes);
            copy.setBaseOffset(0);
            copy.setPartitionLeaderEpoch(-1);
            if (topic === 'append-time') copy.setMaxTimestamp('create-time', batch.baseTimestamp);
            log.appendAsLeader(bytes, { leaderEpoch: 0, origin, now: clock.now() });
          }
          log.updateHighWatermark(log.logEndOffset);
          log.maybeIncrementLogStartOffset(facts.logStartOffset);
          await log.close({ flush: true });

          const names = readdirSync(source).sort();
          assert.deepEqual(readdirSync(directory).sort(), names);
          for (const name of names) {
            assert.ok(existsSync(join(directory, name)));
            assert.ok(readFileSync(join(directory, name)).equals(readFileSync(join(source, name))), name);
          }
        });
      }
    }
  }
});
