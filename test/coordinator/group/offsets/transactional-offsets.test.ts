import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { codeOf } from '../../../../src/protocol/errors.ts';
import { commitRequest, OffsetsShard } from './offsets-shard.ts';

const UNSTABLE = -codeOf('UNSTABLE_OFFSET_COMMIT');

const begin = (shard: OffsetsShard, offsets: Readonly<Record<string, number>>, producerId = 7): void =>
  void shard.write(shard.offsets.commitInTransaction(commitRequest(offsets, { producerId }), 5), producerId);

const commit = (shard: OffsetsShard, offsets: Readonly<Record<string, number>>): void =>
  void shard.write(shard.offsets.commit(commitRequest(offsets), 9));

describe('Offsets that are committed in a transaction', () => {
  it('count when the transaction is committed; until then, their partitions have none to tell', () => {
    const shard = new OffsetsShard();
    commit(shard, { 'a-0': 1, 'a-1': 1 });
    begin(shard, { 'a-0': 5, 'b-0': 5 });
    const before = shard.snapshot();
    assert.deepEqual(shard.fetch('g'), { 'a-0': UNSTABLE, 'a-1': 1 });
    assert.deepEqual(shard.fetch('g', before), { 'a-0': 1, 'a-1': 1 });
    shard.offsets.replayEndOfTransaction(7, 'commit');
    assert.deepEqual(shard.fetch('g'), { 'a-0': 5, 'a-1': 1, 'b-0': 5 });
    shard.timeline.revertTo(before);
    assert.deepEqual(shard.fetch('g'), { 'a-0': UNSTABLE, 'a-1': 1 });
  });

  it('are gone when it is aborted', () => {
    const shard = new OffsetsShard();
    commit(shard, { 'a-0': 1 });
    begin(shard, { 'a-0': 5, 'b-0': 5 });
    shard.offsets.replayEndOfTransaction(7, 'abort');
    assert.deepEqual(shard.fetch('g'), { 'a-0': 1 });
  });

  it('do not replace what was committed after them', () => {
    const shard = new OffsetsShard();
    begin(shard, { 'a-0': 5, 'a-1': 5 });
    commit(shard, { 'a-0': 9 });
    shard.offsets.replayEndOfTransaction(7, 'commit');
    assert.deepEqual(shard.fetch('g'), { 'a-0': 9, 'a-1': 5 });
  });

  it('of several transactions wait for each of them', () => {
    const shard = new OffsetsShard();
    commit(shard, { 'a-0': 1 });
    begin(shard, { 'a-0': 5 }, 7);
    begin(shard, { 'a-0': 6 }, 8);
    shard.offsets.replayEndOfTransaction(8, 'commit');
    assert.deepEqual(shard.fetch('g'), { 'a-0': UNSTABLE });
    shard.offsets.replayEndOfTransaction(7, 'commit');
    assert.deepEqual(shard.fetch('g'), { 'a-0': 6 });
  });

  it('go with offsets that are deleted', () => {
    const shard = new OffsetsShard();
    begin(shard, { 'a-0': 5, 'a-1': 5 });
    shard.write(shard.offsets.delete({ groupId: 'g', topics: [{ name: 'a', partitions: [{ partitionIndex: 0 }] }] }));
    shard.offsets.replayEndOfTransaction(7, 'commit');
    assert.deepEqual(shard.fetch('g'), { 'a-1': 5 });
    begin(shard, { 'a-0': 5 });
    for (const record of shard.offsets.tombstonesOf('g')) shard.replay(record);
    shard.offsets.replayEndOfTransaction(7, 'commit');
    assert.deepEqual(shard.fetch('g'), {});
  });

  it('keep offsets and the group from being removed', async () => {
    const shard = new OffsetsShard({ 'offsets.retention.minutes': '1', 'offsets.retention.check.interval.ms': '1000' });
    shard.offsets.loaded();
    commit(shard, { 'a-0': 1, 'a-1': 1 });
    begin(shard, { 'a-0': 5 });
    await shard.advance(120_000);
    shard.offsets.replayEndOfTransaction(7, 'abort');
    assert.deepEqual(shard.fetch('g'), { 'a-0': 1 });
    await shard.advance(2000);
    assert.equal(shard.groups.get('g'), undefined);
  });
});
