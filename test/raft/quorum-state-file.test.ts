import assert from 'node:assert/strict';
import { test } from 'node:test';
import { simulatedEnvironment } from '../../simulation/simulated-environment.ts';
import { formatQuorumState, parseQuorumState, QuorumStateError, QuorumStateFile } from '../../src/raft/quorum-state-file.ts';
import { readGolden } from '../golden.ts';

interface Vector {
  readonly state: string;
  readonly kraftVersion: number;
  readonly text: string;
}

const vectors = readGolden('raft/quorum-state-files.json.gz') as readonly Vector[];

test('the quorum-state files of Kafka are read, and written back to the same text', () => {
  assert.equal(vectors.length, 8);
  for (const { text, kraftVersion } of vectors) {
    const voters = (JSON.parse(text) as { currentVoters?: { voterId: number }[] }).currentVoters ?? [];
    const form = { kraftVersion, voterIds: voters.map(({ voterId }) => voterId) };
    assert.equal(formatQuorumState(parseQuorumState(text, 'quorum-state'), form), text);
  }
});

test('a quorum-state file of an unknown version, or one that is damaged, is refused', () => {
  const [first] = vectors;
  assert.ok(first);
  for (const text of [
    '',
    '{',
    'null',
    '{"leaderId":1}',
    first.text.replace('"data_version":0', '"data_version":2'),
    first.text.replace('"leaderEpoch":3', '"leaderEpoch":"3"'),
  ]) {
    assert.throws(() => parseQuorumState(text, 'quorum-state'), QuorumStateError, text);
  }
});

test('what was written to the quorum-state file survives a power cut', () => {
  const { disk } = simulatedEnvironment();
  disk.makeDirectory('/data/__cluster_metadata-0');
  disk.syncDirectory('/');
  disk.syncDirectory('/data');
  const file = new QuorumStateFile(disk, '/data/__cluster_metadata-0');
  assert.equal(file.read(), null);
  const state = { epoch: 7, leaderId: null, voted: { id: 2, directoryId: 'EREiIjMzRERVVWZmd3eIiA' } };
  file.write(state, { kraftVersion: 1, voterIds: [] });
  const after = new QuorumStateFile(disk.crash({ unsynced: 'lost' }), '/data/__cluster_metadata-0');
  assert.deepEqual(after.read(), state);
});
