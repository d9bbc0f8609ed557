import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ZERO_UUID } from '../../src/base/uuid.ts';
import { decode, encode } from '../../src/protocol/codec.ts';
import { describeQuorum } from '../../src/protocol/messages/55-describe-quorum.ts';
import type { ResponseOf } from '../../src/protocol/schema.ts';
import { describeQuorumAnswer, type QuorumDescription } from '../../src/raft/describe-quorum.ts';
import { VoterSet } from '../../src/raft/voter-set.ts';

const endpoints = [{ name: 'CONTROLLER', host: '127.0.0.1', port: 31_850 }];
const quorum: QuorumDescription = {
  leaderId: 1,
  epoch: 4,
  highWatermark: 32,
  voters: VoterSet.ofAddresses([{ id: 1, endpoints }]),
  endOffsets: new Map([[1, 33]]),
  describedAt: 1_796_004_134_414,
};

type Asked = Readonly<Record<string, readonly number[]>>;

function answered(asked: Asked, from: QuorumDescription | null, version = 2): ResponseOf<typeof describeQuorum> {
  const topics = Object.entries(asked).map(([topicName, partitions]) => ({
    topicName,
    partitions: partitions.map((partitionIndex) => ({ partitionIndex })),
  }));
  const bytes = encode(describeQuorum.response, version, describeQuorumAnswer({ topics }, from));
  return decode(describeQuorum.response, version, bytes);
}

const errorsOf = ({ topics }: ResponseOf<typeof describeQuorum>): [string, number, number][] =>
  topics.flatMap(({ topicName, partitions }) =>
    partitions.map(({ partitionIndex, errorCode }): [string, number, number] => [topicName, partitionIndex, errorCode]),
  );

test('the leader tells of itself as Apache Kafka 4.4.0 does', () => {
  assert.deepEqual(answered({ __cluster_metadata: [0] }, quorum), {
    errorCode: 0,
    errorMessage: '',
    topics: [
      {
        topicName: '__cluster_metadata',
        partitions: [
          {
            partitionIndex: 0,
            errorCode: 0,
            errorMessage: '',
            leaderId: 1,
            leaderEpoch: 4,
            highWatermark: 32,
            currentVoters: [
              {
                replicaId: 1,
                replicaDirectoryId: ZERO_UUID,
                logEndOffset: 33,
                lastFetchTimestamp: 1_796_004_134_414,
                lastCaughtUpTimestamp: 1_796_004_134_414,
              },
            ],
            observers: [],
          },
        ],
      },
    ],
    nodes: [{ nodeId: 1, listeners: endpoints }],
  });
});

test('times and addresses are told in the versions that have them', () => {
  const voterIn = (version: number) =>
    answered({ __cluster_metadata: [0] }, quorum, version).topics[0]?.partitions[0]?.currentVoters[0];
  assert.equal(voterIn(0)?.lastFetchTimestamp, -1);
  assert.equal(voterIn(1)?.lastFetchTimestamp, 1_796_004_134_414);
  assert.deepEqual(answered({ __cluster_metadata: [0] }, quorum, 1).nodes, []);
});

test('a voter that has not been heard of has no offset and no time', () => {
  const voters = VoterSet.ofIds([1, 2]);
  const [, other] = answered({ __cluster_metadata: [0] }, { ...quorum, voters }).topics[0]?.partitions[0]?.currentVoters ?? [];
  assert.deepEqual(other, {
    replicaId: 2,
    replicaDirectoryId: ZERO_UUID,
    logEndOffset: -1,
    lastFetchTimestamp: -1,
    lastCaughtUpTimestamp: -1,
  });
});

test('there is no other quorum to be told about', () => {
  assert.deepEqual(errorsOf(answered({ __cluster_metadata: [1] }, quorum)), [['__cluster_metadata', 1, 3]]);
  assert.deepEqual(errorsOf(answered({ x: [0] }, quorum)), [['x', 0, 3]]);
  assert.deepEqual(errorsOf(answered({ __cluster_metadata: [0], x: [0] }, quorum)), [
    ['__cluster_metadata', 0, 3],
    ['x', 0, 3],
  ]);
  assert.deepEqual(errorsOf(answered({ __cluster_metadata: [0, 1] }, quorum)), [
    ['__cluster_metadata', 0, 3],
    ['__cluster_metadata', 1, 3],
  ]);
  assert.deepEqual(answered({}, quorum), { errorCode: 0, errorMessage: '', topics: [], nodes: [] });
});

test('who does not lead says so', () => {
  assert.deepEqual(errorsOf(answered({ __cluster_metadata: [0] }, null)), [['__cluster_metadata', 0, 6]]);
});
