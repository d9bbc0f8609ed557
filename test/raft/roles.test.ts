import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OffsetAndEpoch } from '../../src/raft/raft-log.ts';
import { makeRole } from '../../src/raft/roles/make-role.ts';
import type { RoleContext, VoteRequest } from '../../src/raft/roles/role.ts';
import { VoterSet } from '../../src/raft/voter-set.ts';

const ELECTION_TIMEOUT_MS = 1000;

function contextOf(self: number, voterIds: readonly number[], logEnd: OffsetAndEpoch = { offset: 10, epoch: 3 }): RoleContext {
  const voters = VoterSet.ofIds(voterIds);
  return {
    self: { id: self, directoryId: null },
    voters: () => voters,
    logEnd: () => logEnd,
    electionTimeout: () => ELECTION_TIMEOUT_MS,
  };
}

const voteRequest = (candidate: number, epoch: number, lastOffset: OffsetAndEpoch): VoteRequest => ({
  type: 'vote-request',
  epoch,
  candidate: { id: candidate, directoryId: null },
  lastOffset,
});

test('the only voter stands for election at once, wins with its own vote, and has both on disk first', () => {
  const context = contextOf(1, [1]);
  const unattached = makeRole(context, { to: 'unattached', election: { epoch: 3, leaderId: null, voted: null } });
  assert.deepEqual(unattached.start(0), { become: { to: 'candidate', epoch: 4 } });
  const candidate = makeRole(context, { to: 'candidate', epoch: 4 });
  assert.deepEqual(candidate.start(0), {
    persist: { epoch: 4, leaderId: null, voted: context.self },
    become: { to: 'leader', epoch: 4, grantingVoters: [1] },
  });
  const leader = makeRole(context, { to: 'leader', epoch: 4, grantingVoters: [1] });
  assert.deepEqual(leader.start(0), {
    persist: { epoch: 4, leaderId: 1, voted: null },
    appendLeaderChange: { grantingVoters: [1] },
  });
});

test('a leader that comes back leads a newer epoch, never the old one', () => {
  const resigned = makeRole(contextOf(1, [1]), { to: 'resigned', epoch: 4 });
  assert.equal(resigned.leaderId, null);
  assert.deepEqual(resigned.start(0), { become: { to: 'candidate', epoch: 5 } });
});

test('the high watermark waits until the first record of the leader’s own epoch is held by a majority', () => {
  const leader = makeRole(contextOf(1, [1, 2, 3], { offset: 10, epoch: 3 }), { to: 'leader', epoch: 4, grantingVoters: [1, 2] });
  leader.start(0);
  const reached = (id: number, endOffset: number) =>
    leader.receive({ type: 'replica-reached', replica: { id, directoryId: null }, endOffset }, 0);
  assert.deepEqual(reached(1, 12), {});
  // Everything up to the epoch's start is on a majority, and still it is not committed.
  assert.deepEqual(reached(2, 10), {});
  assert.deepEqual(reached(2, 11), { highWatermark: 11 });
  assert.deepEqual(reached(3, 12), { highWatermark: 12 });
  assert.deepEqual(reached(2, 12), {});
  // Who does not vote does not count.
  assert.deepEqual(reached(9, 100), {});
});

test('a candidate of three asks the others, counts each vote once and leads with a majority', () => {
  const candidate = makeRole(contextOf(1, [1, 2, 3]), { to: 'candidate', epoch: 5 });
  const effects = candidate.start(0);
  assert.deepEqual(effects.persist, { epoch: 5, leaderId: null, voted: { id: 1, directoryId: null } });
  assert.deepEqual(
    effects.send?.map(({ to, message }) => [to.id, message]),
    [2, 3].map((id) => [id, voteRequest(1, 5, { offset: 10, epoch: 3 })]),
  );
  const vote = (id: number, granted: boolean, epoch = 5) =>
    candidate.receive({ type: 'vote-response', epoch, voter: { id, directoryId: null }, granted }, 0);
  assert.deepEqual(vote(2, false), {});
  assert.deepEqual(vote(9, true), {});
  assert.deepEqual(vote(3, true, 4), {});
  assert.deepEqual(vote(3, true), { become: { to: 'leader', epoch: 5, grantingVoters: [1, 3] } });
});

test('a candidate that hears of a newer epoch steps back, and one that hears nothing tries again', () => {
  const candidate = makeRole(contextOf(1, [1, 2, 3]), { to: 'candidate', epoch: 5 });
  candidate.start(0);
  const election = { epoch: 8, leaderId: null, voted: null };
  assert.deepEqual(
    candidate.receive({ type: 'vote-response', epoch: 8, voter: { id: 2, directoryId: null }, granted: false }, 0),
    { persist: election, become: { to: 'unattached', election } },
  );
  assert.equal(candidate.tick(ELECTION_TIMEOUT_MS - 1).nextDeadline, ELECTION_TIMEOUT_MS);
  assert.deepEqual(candidate.tick(ELECTION_TIMEOUT_MS).effects, { become: { to: 'candidate', epoch: 6 } });
});

test('a vote is given once an epoch, to a log that is not behind, and is on disk before it is said', () => {
  const context = contextOf(2, [1, 2, 3], { offset: 10, epoch: 3 });
  const unattached = makeRole(context, { to: 'unattached', election: { epoch: 4, leaderId: null, voted: null } });
  const isGranted = (effects: ReturnType<typeof unattached.receive>): boolean => {
    const message = effects.send?.[0]?.message;
    return message?.type === 'vote-response' && message.granted;
  };
  assert.ok(!isGranted(unattached.receive(voteRequest(1, 4, { offset: 9, epoch: 3 }), 0)), 'shorter');
  assert.ok(!isGranted(unattached.receive(voteRequest(1, 4, { offset: 50, epoch: 2 }), 0)), 'of an older epoch');
  assert.ok(!isGranted(unattached.receive(voteRequest(9, 4, { offset: 50, epoch: 4 }), 0)), 'not a voter');
  assert.ok(!isGranted(unattached.receive(voteRequest(1, 3, { offset: 50, epoch: 4 }), 0)), 'in an epoch that has passed');
  const granted = unattached.receive(voteRequest(1, 4, { offset: 10, epoch: 3 }), 0);
  assert.ok(isGranted(granted));
  assert.deepEqual(granted.persist, { epoch: 4, leaderId: null, voted: { id: 1, directoryId: null } });
  const voted = makeRole(context, { to: 'unattached', election: granted.persist ?? { epoch: 0, leaderId: null, voted: null } });
  assert.ok(!isGranted(voted.receive(voteRequest(3, 4, { offset: 99, epoch: 3 }), 0)), 'a second candidate');
  assert.ok(isGranted(voted.receive(voteRequest(1, 4, { offset: 10, epoch: 3 }), 0)), 'the same one again');
});

test('a leader of an older epoch follows the newer one', () => {
  const leader = makeRole(contextOf(1, [1, 2, 3]), { to: 'leader', epoch: 4, grantingVoters: [1, 2] });
  leader.start(0);
  assert.deepEqual(leader.receive({ type: 'leader-announced', epoch: 4, leaderId: 2 }, 0), {});
  assert.deepEqual(leader.receive({ type: 'leader-announced', epoch: 5, leaderId: 2 }, 0), {
    persist: { epoch: 5, leaderId: 2, voted: null },
    become: { to: 'follower', epoch: 5, leaderId: 2 },
  });
});

test('a node that does not vote never stands for election', () => {
  const context = contextOf(7, [1, 2, 3]);
  for (const transition of [
    { to: 'unattached', election: { epoch: 4, leaderId: null, voted: null } },
    { to: 'follower', epoch: 4, leaderId: 1 },
  ] as const) {
    const role = makeRole(context, transition);
    assert.deepEqual(role.start(0), {});
    assert.deepEqual(role.tick(1e9), { effects: {}, nextDeadline: Number.POSITIVE_INFINITY });
  }
});
