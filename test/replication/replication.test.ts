import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { metadataRecord } from '../../src/metadata/metadata-record.ts';
import { codeOf } from '../../src/protocol/errors.ts';
import { produce } from '../../src/protocol/messages/00-produce.ts';
import { fetch } from '../../src/protocol/messages/01-fetch.ts';
import { deleteRecords } from '../../src/protocol/messages/21-delete-records.ts';
import { buildBatch } from '../../src/protocol/records/record-batch-builder.ts';
import { NO_LIMIT } from '../../src/protocol/schema.ts';
import type { IsrChangeAnswer, IsrChangeRequest } from '../../src/replication/isr.ts';
import { idOf, TestBroker, type TopicSpec } from '../broker/test-broker.ts';

const ZERO = 'AAAAAAAAAAAAAAAAAAAAAA';
const batch = (value = 'x') => buildBatch({ records: [{ key: null, value: Buffer.from(value), timestamp: 1_767_225_600_000 }] });

/** A broker that leads a partition of three replicas, with the controller's answers in the test's hand. */
class Leader {
  readonly broker: TestBroker;
  readonly isrRequests: IsrChangeRequest[];
  readonly #answers: ((answer: IsrChangeAnswer | Error) => void)[];

  private constructor(
    broker: TestBroker,
    isrRequests: IsrChangeRequest[],
    answers: ((answer: IsrChangeAnswer | Error) => void)[],
  ) {
    this.broker = broker;
    this.isrRequests = isrRequests;
    this.#answers = answers;
  }

  static async start(topic: TopicSpec = {}): Promise<Leader> {
    const requests: IsrChangeRequest[] = [];
    const answers: ((answer: IsrChangeAnswer | Error) => void)[] = [];
    const change = (request: IsrChangeRequest) => {
      requests.push(request);
      return new Promise<IsrChangeAnswer>((resolve, reject) => {
        answers.push((answer) => (answer instanceof Error ? reject(answer) : resolve(answer)));
      });
    };
    const broker = await TestBroker.start({ isrChanger: { change } });
    broker.registerBroker(2);
    broker.registerBroker(3);
    broker.createTopic('a', { replicas: [1, 2, 3], ...topic });
    broker.replicaManager.start();
    return new Leader(broker, requests, answers);
  }

  get partition() {
    return this.broker.replicaManager.byName('a', 0);
  }

  get highWatermark(): number {
    return this.partition.leaderLog.highWatermark;
  }

  /** The follower asks for what comes at `fetchOffset`, and so says that it has everything before. */
  async follower(
    replicaId: number,
    fetchOffset: number,
    { replicaEpoch = replicaId * 10, lastFetchedEpoch = -1, logStartOffset = 0 } = {},
  ) {
    const partition = {
      partition: 0,
      fetchOffset,
      lastFetchedEpoch,
      logStartOffset,
      currentLeaderEpoch: -1,
      partitionMaxBytes: 1 << 20,
      replicaDirectoryId: ZERO,
      highWatermark: NO_LIMIT,
    };
    const answer = await this.broker.call(fetch, 17, {
      replicaState: { replicaId, replicaEpoch },
      maxWaitMs: 0,
      minBytes: 1,
      topics: [{ topicId: idOf('a'), partitions: [partition], topic: '' }],
      forgottenTopicsData: [],
      rackId: '',
    });
    return answer.responses[0]?.partitions[0];
  }

  produce(acks = -1, timeoutMs = 60_000) {
    const call = this.broker.call(produce, 13, {
      acks,
      timeoutMs,
      topicData: [{ topicId: idOf('a'), partitionData: [{ index: 0, records: batch() }] }],
    });
    const watched = {
      isAnswered: false,
      answer: call.then((answer) => {
        watched.isAnswered = true;
        return answer.responses[0]?.partitionResponses[0];
      }),
    };
    return watched;
  }

  /** The controller grants the ISR that was asked for last. */
  async grant(changes: Partial<IsrChangeAnswer> = {}): Promise<void> {
    const request = this.isrRequests.at(-1);
    assert.ok(request !== undefined);
    const { leaderEpoch, partitionEpoch, isr } = request;
    this.#answers.at(-1)?.({
      isr: isr.map(({ brokerId }) => brokerId),
      leader: 1,
      leaderEpoch,
      partitionEpoch: partitionEpoch + 1,
      ...changes,
    });
    await this.broker.settle();
  }

  async refuse(): Promise<void> {
    this.#answers.at(-1)?.(new Error('refused'));
    await this.broker.settle();
  }

  change(record: { readonly leader?: number; readonly isr?: number[] }): void {
    this.broker.apply(metadataRecord('PartitionChangeRecord', 1, { partitionId: 0, topicId: idOf('a'), leader: -2, ...record }));
  }
}

const asked = ({ isrRequests }: Leader) => isrRequests.map(({ isr }) => isr.map(({ brokerId }) => brokerId));

describe('A leader with followers', () => {
  it('moves the high watermark to the smallest log end in the ISR, and answers acks=-1 then', async () => {
    const leader = await Leader.start();
    const produced = leader.produce();
    await leader.broker.settle();
    await leader.follower(2, 1);
    assert.deepEqual([leader.highWatermark, produced.isAnswered], [0, false]);
    await leader.follower(3, 1);
    await leader.broker.settle();
    assert.deepEqual([leader.highWatermark, produced.isAnswered], [1, true]);
    assert.deepEqual((await produced.answer)?.errorCode, 0);
  });

  it('answers acks=1 at once, and shows consumers nothing that is not replicated', async () => {
    const leader = await Leader.start();
    assert.equal((await leader.produce(1).answer)?.errorCode, 0);
    assert.equal(leader.highWatermark, 0);
    const seen = await leader.follower(2, 0);
    assert.ok((seen?.records?.length ?? 0) > 0, 'followers see the log end');
  });

  it('asks to take a follower into the ISR that has caught up, once, and waits for it at once', async () => {
    const leader = await Leader.start({ isr: [1, 2] });
    await leader.produce(1).answer;
    await leader.follower(2, 1);
    assert.equal(leader.highWatermark, 1);
    await leader.follower(3, 0);
    assert.deepEqual(asked(leader), [], 'it lags behind the watermark');
    await leader.follower(3, 1);
    await leader.follower(3, 1);
    assert.deepEqual(asked(leader), [[1, 2, 3]]);
    assert.deepEqual(
      leader.isrRequests[0]?.isr,
      [1, 2, 3].map((id) => ({ brokerId: id, brokerEpoch: id * 10 })),
    );
    const produced = leader.produce();
    await leader.broker.settle();
    await leader.follower(2, 2);
    assert.equal(leader.highWatermark, 1, 'the controller may have granted it already');
    await leader.grant();
    assert.deepEqual(leader.partition.isr, [1, 2, 3]);
    await leader.follower(3, 2);
    assert.equal((await produced.answer)?.errorCode, 0);
  });

  it('asks again after a refusal, on top of what the controller has said', async () => {
    const leader = await Leader.start({ isr: [1, 2] });
    await leader.follower(3, 0);
    await leader.refuse();
    assert.deepEqual(leader.partition.isr, [1, 2]);
    await leader.follower(3, 0);
    assert.deepEqual(asked(leader), [
      [1, 2, 3],
      [1, 2, 3],
    ]);
  });

  it('asks for nobody who is fenced, or is another incarnation than the registered one', async () => {
    const leader = await Leader.start({ isr: [1] });
    leader.broker.registerBroker(2, { fenced: true });
    await leader.follower(2, 0);
    await leader.follower(3, 0, { replicaEpoch: 29 });
    assert.deepEqual(asked(leader), []);
    await leader.follower(3, 0);
    assert.deepEqual(asked(leader), [[1, 3]]);
  });

  it('does not take in a follower that lacks the start of its own epoch', async () => {
    const leader = await Leader.start({ isr: [1, 2, 3] });
    await leader.produce(1).answer;
    leader.change({ leader: 2, isr: [1, 2] });
    leader.change({ leader: 1, isr: [1] });
    assert.equal(leader.partition.leaderEpochStartOffset, 1);
    await leader.follower(3, 0);
    assert.deepEqual(asked(leader), [], 'it has reached the lagging watermark only');
    await leader.follower(3, 1);
    assert.deepEqual(asked(leader), [[1, 3]]);
  });

  it('asks to drop a follower that has not been at the log end for 30 s, and answers when that is granted', async () => {
    const leader = await Leader.start();
    const produced = leader.produce();
    await leader.broker.settle();
    await leader.broker.advance(20_000);
    await leader.follower(2, 1);
    await leader.broker.advance(25_000);
    assert.deepEqual(asked(leader), [[1, 2]]);
    assert.equal(produced.isAnswered, false);
    await leader.grant();
    assert.deepEqual([leader.highWatermark, leader.partition.isr, produced.isAnswered], [1, [1, 2], true]);
  });

  it('keeps a follower that always asks for what the log end was at its fetch before', async () => {
    const leader = await Leader.start({ replicas: [1, 2], isr: [1, 2] });
    for (let end = 0; end < 40; end++) {
      await leader.follower(2, end);
      await leader.produce(1).answer;
      await leader.broker.advance(2_000);
    }
    assert.deepEqual(asked(leader), []);
    await leader.broker.advance(60_000);
    assert.deepEqual(asked(leader), [[1]]);
  });

  it('stands still while fewer replicas are in sync than the topic requires, also for acks=1', async () => {
    const leader = await Leader.start({ isr: [1], configs: { 'min.insync.replicas': '2' } });
    await leader.produce(1).answer;
    assert.equal(leader.highWatermark, 0);
    leader.change({ isr: [1, 2] });
    await leader.follower(2, 1);
    assert.equal(leader.highWatermark, 1);
  });

  it('says when the ISR has shrunk below the minimum after the records were written', async () => {
    const leader = await Leader.start({ replicas: [1, 2], configs: { 'min.insync.replicas': '2' } });
    const produced = leader.produce();
    await leader.broker.settle();
    await leader.follower(2, 1);
    assert.equal((await produced.answer)?.errorCode, 0);
    const late = leader.produce();
    await leader.broker.settle();
    leader.change({ isr: [1] });
    await leader.broker.settle();
    assert.equal(late.isAnswered, false, 'the watermark does not move under the minimum');
    await leader.follower(2, 2);
    leader.broker.apply(
      metadataRecord('ConfigRecord', 0, { resourceType: 2, resourceName: 'a', name: 'min.insync.replicas', value: '1' }),
    );
    assert.equal((await late.answer)?.errorCode, 0);
  });

  it('does not count a fetch from a log that went another way', async () => {
    const leader = await Leader.start({ replicas: [1, 2] });
    await leader.produce(1).answer;
    const diverging = await leader.follower(2, 5, { lastFetchedEpoch: 0 });
    assert.deepEqual(diverging?.divergingEpoch, { epoch: 0, endOffset: 1 });
    assert.equal(leader.highWatermark, 0);
  });

  it('tells those who wait when it leads no more, and nothing is left waiting', async () => {
    const leader = await Leader.start();
    const produced = leader.produce();
    await leader.broker.settle();
    leader.change({ leader: 2 });
    const answer = await produced.answer;
    assert.equal(answer?.errorCode, codeOf('NOT_LEADER_OR_FOLLOWER'));
    assert.deepEqual(answer?.currentLeader, { leaderId: 2, leaderEpoch: 1 });
    assert.throws(() => leader.partition.leaderLog, /NOT_LEADER|does not lead/);
  });

  it('forgets what it knew of followers when it is elected anew', async () => {
    const leader = await Leader.start({ replicas: [1, 2] });
    await leader.produce(1).answer;
    await leader.follower(2, 1);
    assert.equal(leader.highWatermark, 1);
    await leader.produce(1).answer;
    leader.change({ leader: 1 });
    assert.equal(leader.highWatermark, 1);
    assert.equal(leader.partition.follower(2).logEndOffset, -1);
    await leader.follower(2, 2);
    assert.equal(leader.highWatermark, 2);
  });

  it('deletes records when every live follower has dropped them', async () => {
    const leader = await Leader.start({ replicas: [1, 2] });
    await leader.produce(1).answer;
    await leader.follower(2, 1);
    const deleting = leader.broker.call(deleteRecords, 2, {
      topics: [{ name: 'a', partitions: [{ partitionIndex: 0, offset: 1 }] }],
      timeoutMs: 5000,
    });
    await leader.broker.settle();
    assert.equal(leader.partition.leaderLog.logStartOffset, 1);
    await leader.follower(2, 1, { logStartOffset: 1 });
    assert.deepEqual((await deleting).topics[0]?.partitions, [{ partitionIndex: 0, lowWatermark: 1, errorCode: 0 }]);
  });

  it('refuses a replica that the partition does not have', async () => {
    const leader = await Leader.start({ replicas: [1, 2] });
    assert.equal((await leader.follower(3, 0))?.errorCode, codeOf('NOT_LEADER_OR_FOLLOWER'));
  });
});

describe('Replicas', () => {
  it('do not show the records of a topic that was deleted and made again', async () => {
    const broker = await TestBroker.start();
    broker.createTopic('a');
    const send = (id: string) =>
      broker.call(produce, 13, {
        acks: -1,
        timeoutMs: 1000,
        topicData: [{ topicId: id, partitionData: [{ index: 0, records: batch() }] }],
      });
    await send(idOf('a'));
    const again = idOf('other');
    const made = [
      metadataRecord('RemoveTopicRecord', 0, { topicId: idOf('a') }),
      metadataRecord('TopicRecord', 0, { name: 'a', topicId: again }),
      metadataRecord('PartitionRecord', 1, {
        partitionId: 0,
        topicId: again,
        replicas: [1],
        isr: [1],
        removingReplicas: [],
        addingReplicas: [],
        leader: 1,
        leaderEpoch: 0,
        partitionEpoch: 0,
        directories: [ZERO],
      }),
    ];
    broker.apply(...made);
    assert.equal(broker.replicaManager.byName('a', 0).leaderLog.logEndOffset, 0);
    assert.equal((await send(again)).responses[0]?.partitionResponses[0]?.baseOffset, 0);
    assert.equal((await send(idOf('a'))).responses[0]?.partitionResponses[0]?.errorCode, codeOf('UNKNOWN_TOPIC_ID'));
  });

  it('are put aside at start when the cluster does not know them', async () => {
    const first = await TestBroker.start();
    first.createTopic('gone');
    first.createTopic('kept');
    await first.logManager.shutdown({ brokerEpoch: 1 });
    const second = await TestBroker.start({ environment: first.environment });
    assert.equal(second.logManager.logs.length, 0, 'the first image of this broker knows no topics');
    const names = first.environment.disk
      .list('/data')
      .filter(({ kind }) => kind === 'directory')
      .map(({ name }) => name);
    assert.ok(
      names.every((name) => name.endsWith('-stray')),
      names.join(),
    );
  });

  it('answer KAFKA_STORAGE_ERROR when their disk has failed, all of them, and those who wait are told', async () => {
    const broker = await TestBroker.start();
    broker.createTopic('a', { partitions: 2 });
    const read = (partition: number, maxWaitMs = 0) =>
      broker.call(fetch, 17, {
        maxWaitMs,
        minBytes: 1,
        topics: [
          {
            topicId: idOf('a'),
            topic: '',
            partitions: [{ partition, fetchOffset: 0, partitionMaxBytes: 1 << 20, replicaDirectoryId: ZERO }],
          },
        ],
        forgottenTopicsData: [],
        rackId: '',
      });
    const waiting = read(1, 60_000);
    await broker.settle();
    broker.environment.disk.failWhen(({ kind, path }) => (kind === 'write' && path.startsWith('/data/a-0') ? 'EIO' : null));
    const answer = await broker.call(produce, 13, {
      acks: -1,
      timeoutMs: 1000,
      topicData: [{ topicId: idOf('a'), partitionData: [{ index: 0, records: batch() }] }],
    });
    assert.equal(answer.responses[0]?.partitionResponses[0]?.errorCode, codeOf('KAFKA_STORAGE_ERROR'));
    assert.equal((await waiting).responses[0]?.partitions[0]?.errorCode, codeOf('KAFKA_STORAGE_ERROR'));
    assert.equal((await read(0)).responses[0]?.partitions[0]?.errorCode, codeOf('KAFKA_STORAGE_ERROR'));
    assert.equal(broker.environment.metrics.gauges.get('kafka.server:type=ReplicaManager,name=OfflineReplicaCount')?.(), 2);
  });
});
