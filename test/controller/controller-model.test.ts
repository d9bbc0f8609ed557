import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import type { SimulatedEnvironment } from '../../simulation/simulated-environment.ts';
import { simulatedEnvironment } from '../../simulation/simulated-environment.ts';
import { emitSnapshot } from '../../src/controller/snapshot-emitter.ts';
import { isActive } from '../../src/controller/leader-acceptor.ts';
import { createPartitions } from '../../src/protocol/messages/37-create-partitions.ts';
import { createTopics } from '../../src/protocol/messages/19-create-topics.ts';
import { deleteTopics } from '../../src/protocol/messages/20-delete-topics.ts';
import { electLeaders } from '../../src/protocol/messages/43-elect-leaders.ts';
import { incrementalAlterConfigs } from '../../src/protocol/messages/44-incremental-alter-configs.ts';
import { alterPartition } from '../../src/protocol/messages/56-alter-partition.ts';
import { updateFeatures } from '../../src/protocol/messages/57-update-features.ts';
import { allocateProducerIds } from '../../src/protocol/messages/67-allocate-producer-ids.ts';
import type { MetadataImage } from '../../src/metadata/metadata-image.ts';
import { imageFacts } from '../metadata/image-facts.ts';
import { ask, TestBroker } from './brokers.ts';
import { TestController } from './test-controller.ts';

const BROKERS = [11, 12, 13, 14];
const TOPICS = ['a', 'b.c', 'b_c', 'd'];

type Action =
  | {
      readonly kind: 'create';
      readonly topic: string;
      readonly partitions: number;
      readonly factor: number;
      readonly minIsr: string | null;
    }
  | { readonly kind: 'delete'; readonly topic: string }
  | { readonly kind: 'grow'; readonly topic: string; readonly by: number }
  | { readonly kind: 'configure'; readonly topic: string; readonly config: string; readonly value: string }
  | { readonly kind: 'minimum'; readonly value: number }
  | { readonly kind: 'heartbeat'; readonly broker: number; readonly wantFence: boolean; readonly wantShutDown: boolean }
  | { readonly kind: 'restart-broker'; readonly broker: number; readonly isClean: boolean }
  | { readonly kind: 'isr'; readonly topic: string; readonly partition: number; readonly keep: number }
  | { readonly kind: 'elect'; readonly type: number }
  | { readonly kind: 'elr'; readonly level: number }
  | { readonly kind: 'producer-ids'; readonly broker: number }
  | { readonly kind: 'silence'; readonly ms: number }
  | { readonly kind: 'snapshot' }
  | { readonly kind: 'clean' }
  | { readonly kind: 'restart-controller' };

const topic = fc.constantFrom(...TOPICS);
const broker = fc.constantFrom(...BROKERS);
const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('create'),
      topic,
      partitions: fc.integer({ min: 1, max: 4 }),
      factor: fc.integer({ min: 1, max: 4 }),
      minIsr: fc.constantFrom(null, '1', '2', '3'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete'), topic }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('grow'), topic, by: fc.integer({ min: 1, max: 2 }) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('configure'),
      topic,
      config: fc.constantFrom('unclean.leader.election.enable', 'min.insync.replicas', 'retention.ms'),
      value: fc.constantFrom('true', 'false', '1', '2', '3'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('minimum'), value: fc.integer({ min: 1, max: 3 }) }) },
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('heartbeat'), broker, wantFence: fc.boolean(), wantShutDown: fc.boolean() }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('restart-broker'), broker, isClean: fc.boolean() }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('isr'),
      topic,
      partition: fc.integer({ min: 0, max: 3 }),
      keep: fc.integer({ min: 0, max: 15 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('elect'), type: fc.integer({ min: 0, max: 1 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('elr'), level: fc.integer({ min: 0, max: 1 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('producer-ids'), broker }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('silence'), ms: fc.constantFrom(1000, 6000) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('snapshot') }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('clean') }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('restart-controller') }) },
);

class Cluster {
  readonly environment: SimulatedEnvironment;
  readonly brokers: readonly TestBroker[];
  subject: TestController;
  /** By topic id and partition: the highest epochs that were seen. */
  readonly #epochs = new Map<string, { readonly leaderEpoch: number; readonly partitionEpoch: number }>();

  private constructor(environment: SimulatedEnvironment, subject: TestController) {
    this.environment = environment;
    this.subject = subject;
    this.brokers = BROKERS.map((id) => new TestBroker(() => this.subject, id));
  }

  static async start(seed: number): Promise<Cluster> {
    const environment = simulatedEnvironment({ seed });
    const cluster = new Cluster(environment, await TestController.started({ environment }));
    for (const each of cluster.brokers) {
      await each.register({ rack: `rack ${each.id % 2}` });
      await each.heartbeat();
    }
    return cluster;
  }

  brokerOf(id: number): TestBroker {
    const found = this.brokers.find((each) => each.id === id);
    assert.ok(found);
    return found;
  }

  async run(step: Action): Promise<void> {
    const { subject } = this;
    switch (step.kind) {
      case 'create': {
        const configs = step.minIsr === null ? [] : [{ name: 'min.insync.replicas', value: step.minIsr }];
        const asked = {
          name: step.topic,
          numPartitions: step.partitions,
          replicationFactor: step.factor,
          assignments: [],
          configs,
        };
        await ask(subject, createTopics, { topics: [asked] });
        return;
      }
      case 'delete':
        await ask(subject, deleteTopics, { topics: [{ name: step.topic, topicId: 'AAAAAAAAAAAAAAAAAAAAAA' }], timeoutMs: 1 });
        return;
      case 'grow': {
        const count = (subject.controller.image.topics.byName.get(step.topic)?.partitions.length ?? 0) + step.by;
        await ask(subject, createPartitions, {
          topics: [{ name: step.topic, count, assignments: null }],
          timeoutMs: 1,
          validateOnly: false,
        });
        return;
      }
      case 'configure':
        await this.#configure(2, step.topic, step.config, step.value);
        return;
      case 'minimum':
        await this.#configure(4, '', 'min.insync.replicas', String(step.value));
        return;
      case 'heartbeat':
        await this.brokerOf(step.broker).heartbeat(step);
        return;
      case 'restart-broker': {
        const restarted = this.brokerOf(step.broker);
        await restarted.register(step.isClean ? { previousEpoch: restarted.epoch } : {});
        return;
      }
      case 'isr':
        await this.#changeIsr(step.topic, step.partition, step.keep);
        return;
      case 'elect':
        await ask(subject, electLeaders, { electionType: step.type, topicPartitions: null });
        return;
      case 'elr':
        await ask(subject, updateFeatures, {
          featureUpdates: [
            { feature: 'eligible.leader.replicas.version', maxVersionLevel: step.level, upgradeType: 2 - step.level },
          ],
        });
        return;
      case 'producer-ids':
        await ask(subject, allocateProducerIds, { brokerId: step.broker, brokerEpoch: this.brokerOf(step.broker).epoch });
        return;
      case 'silence':
        await subject.run(step.ms);
        return;
      case 'snapshot':
        await subject.resolve(emitSnapshot(subject.raft, subject.loader.image, this.environment.clock));
        return;
      case 'clean':
        subject.raft.clean();
        return;
      case 'restart-controller':
        subject.controller.close();
        await subject.raft.close();
        this.subject = await TestController.started({ environment: this.environment, log: subject.log });
    }
  }

  async #configure(resourceType: number, resourceName: string, name: string, value: string): Promise<void> {
    const configs = [{ name, configOperation: 0, value }];
    await ask(this.subject, incrementalAlterConfigs, {
      resources: [{ resourceType, resourceName, configs }],
      validateOnly: false,
    });
  }

  /** The leader keeps some of the replicas in the ISR: those whose bit is set. */
  async #changeIsr(name: string, index: number, keep: number): Promise<void> {
    const { topics, cluster } = this.subject.controller.image;
    const found = topics.byName.get(name);
    const partition = found?.partitions[index];
    if (found === undefined || partition === undefined || partition.leader < 0) return;
    const leader = this.brokerOf(partition.leader);
    const isr = partition.replicas.filter((replica, at) => replica === leader.id || ((keep >> at) & 1) === 1);
    const members = isr.map((id) => ({ brokerId: id, brokerEpoch: cluster.brokers.get(id)?.epoch ?? -1 }));
    await ask(this.subject, alterPartition, {
      brokerId: leader.id,
      brokerEpoch: leader.epoch,
      topics: [
        {
          topicId: found.id,
          partitions: [
            {
              partitionIndex: index,
              leaderEpoch: partition.leaderEpoch,
              newIsrWithEpochs: members,
              partitionEpoch: partition.partitionEpoch,
            },
          ],
        },
      ],
    });
  }

  check(): void {
    const { controller, loader, errors } = this.subject;
    assert.deepEqual(errors, []);
    assert.deepEqual(imageFacts(controller.image), imageFacts(loader.image), 'what was decided is what brokers see');
    checkPartitions(controller.image);
    for (const { id, partitions } of controller.image.topics.byId.values()) {
      for (const [index, { leaderEpoch, partitionEpoch }] of partitions.entries()) {
        const before = this.#epochs.get(`${id}/${index}`);
        assert.ok(leaderEpoch >= (before?.leaderEpoch ?? 0) && partitionEpoch >= (before?.partitionEpoch ?? 0), 'epochs grow');
        this.#epochs.set(`${id}/${index}`, { leaderEpoch, partitionEpoch });
      }
    }
  }

  /** A node that loads the log from its beginning, or from the latest snapshot, has the same state. */
  async checkReload(): Promise<void> {
    const facts = imageFacts(this.subject.loader.image);
    const { log } = this.subject;
    const end = log.end.offset;
    const reloaded = await TestController.started({ log });
    // Loading leads, and leading writes: a leader change and the registration of the controller's new process, which is the same one here.
    assert.equal(log.end.offset, end + 1);
    assert.deepEqual(imageFacts(reloaded.loader.image), facts);
    assert.deepEqual(imageFacts(reloaded.controller.image), facts);
  }
}

function checkPartitions({ topics, cluster }: MetadataImage): void {
  for (const { name, partitions } of topics.byId.values()) {
    for (const [index, { replicas, isr, elr, leader, directories }] of partitions.entries()) {
      const place = `${name}-${index}`;
      assert.equal(new Set(replicas).size, replicas.length, `${place} has each replica once`);
      assert.equal(directories.length, replicas.length, `${place} has a directory for each replica`);
      assert.ok(
        [...isr, ...elr].every((id) => replicas.includes(id)),
        `${place} counts on its replicas only`,
      );
      assert.ok(!isr.some((id) => elr.includes(id)), `${place} counts nobody twice`);
      const couldLead = [...isr, ...elr].filter((id) => isActive(cluster, id));
      if (leader === -1) {
        // Without eligible leader replicas, the last one in sync stays there while it is away.
        assert.deepEqual(couldLead, [], `${place} is led if anybody can`);
      } else {
        assert.ok(isr.includes(leader), `${place} is led by who is in sync`);
        assert.ok(!isr.some((id) => cluster.brokers.get(id)?.fenced !== false), `${place} has living replicas in sync only`);
      }
    }
  }
}

test('whatever happens to a cluster, replay of its log and of its snapshots gives the state the controller decided by', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 1e6 }), fc.array(action, { minLength: 5, maxLength: 40 }), async (seed, steps) => {
      const cluster = await Cluster.start(seed);
      for (const step of steps) {
        await cluster.run(step);
        cluster.check();
      }
      await cluster.checkReload();
    }),
    { numRuns: 60 },
  );
});
