import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { commitRequest, OffsetsShard } from './offsets-shard.ts';

const MINUTE = 60_000;
const RETENTION = { 'offsets.retention.minutes': '10', 'offsets.retention.check.interval.ms': String(MINUTE) };

const started = (): OffsetsShard => {
  const shard = new OffsetsShard(RETENTION);
  shard.offsets.loaded();
  return shard;
};

describe('A committed offset', () => {
  it('expires when as much time has passed as its group says it has to, and the empty group goes with the last', async () => {
    const shard = started();
    shard.write(shard.offsets.commit(commitRequest({ 'a-0': 1 }), 9));
    await shard.advance(5 * MINUTE);
    shard.write(shard.offsets.commit(commitRequest({ 'a-1': 1 }), 9));
    await shard.advance(5 * MINUTE - 1);
    assert.deepEqual(shard.fetch('g'), { 'a-0': 1, 'a-1': 1 });
    await shard.advance(2 * MINUTE);
    assert.deepEqual(shard.fetch('g'), { 'a-1': 1 });
    assert.notEqual(shard.groups.get('g'), undefined);
    await shard.advance(5 * MINUTE);
    assert.equal(shard.groups.get('g'), undefined);
  });

  it('does not expire while its group does not let it, nor while members have subscribed to its topic', async () => {
    const shard = started();
    const group = shard.addGroup('g');
    shard.write(shard.offsets.commit(commitRequest({ 'a-0': 1, 'b-0': 1 }), 9));
    group.expiration = null;
    await shard.advance(20 * MINUTE);
    assert.deepEqual(shard.fetch('g'), { 'a-0': 1, 'b-0': 1 });
    group.expiration = { baseTimestamp: ({ commitTimestamp }) => commitTimestamp };
    group.subscribed.add('b');
    await shard.advance(MINUTE);
    assert.deepEqual(shard.fetch('g'), { 'b-0': 1 });
    group.subscribed.clear();
    group.members = 1;
    await shard.advance(MINUTE);
    assert.deepEqual(shard.fetch('g'), {});
    assert.equal(shard.groups.get('g'), group, 'a group with members stays');
  });

  it('expires from when its group became empty, where the group knows that', async () => {
    const shard = started();
    const group = shard.addGroup('g');
    shard.write(shard.offsets.commit(commitRequest({ 'a-0': 1 }), 9));
    const emptySince = shard.environment.clock.now() + 7 * MINUTE;
    group.expiration = { baseTimestamp: () => emptySince };
    await shard.advance(16 * MINUTE);
    assert.deepEqual(shard.fetch('g'), { 'a-0': 1 });
    await shard.advance(2 * MINUTE);
    assert.deepEqual(shard.fetch('g'), {});
  });

  it('expires when its committer said, whatever the broker says', async () => {
    const shard = started();
    shard.write(shard.offsets.commit(commitRequest({ 'a-0': 1 }, { retentionTimeMs: 2 * MINUTE }), 4));
    shard.write(shard.offsets.commit(commitRequest({ 'a-1': 1 }, { retentionTimeMs: 100 * MINUTE }), 4));
    await shard.advance(4 * MINUTE);
    assert.deepEqual(shard.fetch('g'), { 'a-1': 1 });
    await shard.advance(50 * MINUTE);
    assert.deepEqual(shard.fetch('g'), { 'a-1': 1 });
  });

  it('expires with ten thousand others in several turns', async () => {
    const shard = started();
    for (let group = 0; group < 30; group++) {
      const offsets = Object.fromEntries(Array.from({ length: 1000 }, (_, partition) => [`a-${partition}`, 1]));
      shard.write(shard.offsets.commit(commitRequest(offsets, { groupId: `g${group}` }), 9));
    }
    await shard.advance(11 * MINUTE);
    assert.equal(shard.groups.size, 0);
    assert.equal(shard.written.filter(({ value }) => value === null).length, 30_000 + 30);
  });
});
