import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { TimerQueue } from '../../../../src/base/timer-queue.ts';
import { ConfigStore } from '../../../../src/config/config-store.ts';
import { GroupCoordinator } from '../../../../src/coordinator/group/group-coordinator.ts';
import { groupRecordSerde } from '../../../../src/coordinator/group/group-record.ts';
import { GroupAdmin } from '../../../../src/coordinator/group/offsets/group-admin.ts';
import { OffsetsService } from '../../../../src/coordinator/group/offsets/offsets-service.ts';
import { EMPTY_METADATA_IMAGE } from '../../../../src/metadata/metadata-image.ts';
import { codeOf, KafkaError } from '../../../../src/protocol/errors.ts';
import { simulatedEnvironment } from '../../../../simulation/simulated-environment.ts';
import { MemoryLog } from '../../runtime/counters.ts';
import { commitRequest } from './offsets-shard.ts';

const GROUPS = ['a', 'b'];
const groupId = fc.constantFrom(...GROUPS);
const partition = fc.integer({ min: 0, max: 1 });
const producerId = fc.integer({ min: 1, max: 2 });
const kind = <K extends string>(...kinds: K[]) => fc.constantFrom(...kinds);

const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: kind('commit'), groupId, partition }) },
  { weight: 3, arbitrary: fc.record({ kind: kind('commit in transaction'), groupId, partition, producerId }) },
  { weight: 2, arbitrary: fc.record({ kind: kind('end'), producerId, outcome: kind('commit', 'abort') }) },
  { weight: 1, arbitrary: fc.record({ kind: kind('delete'), groupId, partition }) },
  { weight: 1, arbitrary: fc.record({ kind: kind('delete group'), groupId }) },
  { weight: 6, arbitrary: fc.record({ kind: kind('turn', 'replicate', 'fail', 'mend', 'restart') }) },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

/** A coordinator whose topic has one partition, which can be started anew over the same log. */
class World {
  readonly log = new MemoryLog();
  readonly #environment = simulatedEnvironment();
  coordinator = this.#start();
  readonly settled: Promise<unknown>[] = [];
  /** The largest offset of each key that was acknowledged, unless something else was asked for since the commit was. */
  readonly acknowledged = new Map<string, number>();
  /** How often something else was asked for. */
  readonly #disturbances = new Map<string, number>();
  #nextOffset = 1;

  #start(): GroupCoordinator {
    const fromFile = new Map([
      ['node.id', '1'],
      ['offsets.topic.num.partitions', '1'],
    ]);
    return new GroupCoordinator(this.#environment, {
      timers: new TimerQueue(this.#environment.clock),
      configs: new ConfigStore({ nodeId: 1, fromFile }),
      metadata: () => EMPTY_METADATA_IMAGE,
      writer: this.log,
      loader: this.log,
    });
  }

  async restart(): Promise<void> {
    this.coordinator.close();
    this.coordinator = this.#start();
    await this.coordinator.becomeLeader(0, 1);
  }

  turn(): void {
    this.#environment.clock.advance(0);
  }

  async do(each: Step): Promise<void> {
    const { runtime } = this.coordinator;
    const service = new OffsetsService(this.coordinator);
    switch (each.kind) {
      case 'commit': {
        const key = `${each.groupId}-${each.partition}`;
        const offset = this.#nextOffset++;
        const request = commitRequest({ [`t-${each.partition}`]: offset }, { groupId: each.groupId });
        const disturbances = this.#disturbances.get(key);
        const acknowledge = (): void => {
          if (this.#disturbances.get(key) === disturbances) this.acknowledged.set(key, offset);
        };
        this.#expect(service.commit(request, 9).then(acknowledge));
        break;
      }
      case 'commit in transaction': {
        this.#disturb((key) => key === `${each.groupId}-${each.partition}`);
        const request = commitRequest({ [`t-${each.partition}`]: this.#nextOffset++ }, { groupId: each.groupId });
        const producer = { producerId: each.producerId, producerEpoch: 0 };
        this.#expect(runtime.writeTransactional(0, producer, ({ offsets }) => offsets.commitInTransaction(request, 5)));
        break;
      }
      case 'end': {
        this.#disturb(() => true);
        const { producerId: id, outcome } = each;
        const end = { producerId: id, producerEpoch: 0, coordinatorEpoch: 0, outcome, transactionVersion: 0 };
        this.#expect(runtime.endTransaction(0, end));
        break;
      }
      case 'delete': {
        this.#disturb((key) => key === `${each.groupId}-${each.partition}`);
        const topics = [{ name: 't', partitions: [{ partitionIndex: each.partition }] }];
        this.#expect(service.delete({ groupId: each.groupId, topics }));
        break;
      }
      case 'delete group':
        this.#disturb((key) => key.startsWith(each.groupId));
        this.#expect(new GroupAdmin(this.coordinator).delete([each.groupId]));
        break;
      case 'turn':
        this.turn();
        break;
      case 'replicate':
        this.log.commit();
        break;
      case 'fail':
      case 'mend':
        this.log.failure = each.kind === 'fail' ? new KafkaError('NOT_ENOUGH_REPLICAS') : null;
        break;
      case 'restart':
        await this.restart();
        break;
      default:
        throw new Error(`unknown step ${JSON.stringify(each satisfies never)}`);
    }
  }

  #disturb(isMeant: (key: string) => boolean): void {
    const keys = GROUPS.flatMap((id) => [0, 1].map((index) => `${id}-${index}`)).filter(isMeant);
    for (const key of keys) {
      this.acknowledged.delete(key);
      this.#disturbances.set(key, (this.#disturbances.get(key) ?? 0) + 1);
    }
  }

  #expect(answer: Promise<unknown>): void {
    this.settled.push(
      answer.catch((error: unknown) => {
        if (!(error instanceof KafkaError)) throw error;
      }),
    );
  }

  /** What is committed now, as somebody who asks is told. */
  offsets({ stable }: { readonly stable: boolean }): Record<string, number> {
    const unstable = -codeOf('UNSTABLE_OFFSET_COMMIT');
    return this.coordinator.runtime.read(0, ({ offsets }, committedOffset) =>
      Object.fromEntries(
        GROUPS.flatMap((id) => {
          const request = { groupId: id, memberId: null, memberEpoch: -1, topics: null };
          const topics = stable ? offsets.fetchStable(request) : offsets.fetch(request, committedOffset);
          return topics.flatMap(({ partitions }) =>
            partitions.map(({ partitionIndex, committedOffset: offset, errorCode }): [string, number] => [
              `${id}-${partitionIndex}`,
              errorCode === 0 ? offset : unstable,
            ]),
          );
        }),
      ),
    );
  }
}

/** The same as the log tells it, without any of the code that is tested. */
function offsetsInLog(log: MemoryLog): Record<string, number> {
  const committed = new Map<string, { readonly offset: number; readonly at: number }>();
  const pending = new Map<number, Map<string, { readonly offset: number; readonly at: number }>>();
  for (const { producerId: id, endOfTransaction, records } of log.batches()) {
    if (endOfTransaction === 'commit') {
      for (const [key, value] of pending.get(id) ?? []) if ((committed.get(key)?.at ?? -1) < value.at) committed.set(key, value);
    }
    if (endOfTransaction !== null) pending.delete(id);
    for (const { offset: at, key: keyBytes, value } of records) {
      const record = groupRecordSerde.decode(keyBytes ?? Buffer.alloc(0), value);
      if (record?.type !== 'OffsetCommit') continue;
      const key = `${record.key.group}-${record.key.partition}`;
      if (record.value === null) {
        committed.delete(key);
        for (const keys of pending.values()) keys.delete(key);
      } else if (id === -1) committed.set(key, { offset: record.value.offset, at });
      else pending.set(id, (pending.get(id) ?? new Map()).set(key, { offset: record.value.offset, at }));
    }
  }
  const isUnstable = (key: string): boolean => [...pending.values()].some((keys) => keys.has(key));
  const unstable = -codeOf('UNSTABLE_OFFSET_COMMIT');
  return Object.fromEntries(Array.from(committed, ([key, { offset }]) => [key, isUnstable(key) ? unstable : offset]));
}

describe('Whatever is committed, deleted, begun and ended, and fails to be written', () => {
  it('offsets are what the log says, before and after a restart, and none that was acknowledged goes back', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 80, size: 'max' }), async (steps) => {
        const world = new World();
        await world.coordinator.becomeLeader(0, 1);
        world.log.isReplicated = false;
        for (const each of steps) {
          await world.do(each);
          const seen = world.offsets({ stable: false });
          for (const [key, offset] of world.acknowledged)
            assert.ok((seen[key] ?? 0) >= offset, `${key} went back from ${offset}`);
        }
        world.log.failure = null;
        world.turn();
        world.log.commit();
        await Promise.all(world.settled);
        const wanted = offsetsInLog(world.log);
        assert.deepEqual(world.offsets({ stable: true }), wanted);
        await world.restart();
        assert.deepEqual(world.offsets({ stable: true }), wanted);
      }),
      { numRuns: 300 },
    );
  });
});
