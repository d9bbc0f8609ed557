import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { BrokerChannel } from '../../src/broker/broker-channel.ts';
import { simulatedEnvironment } from '../../simulation/simulated-environment.ts';
import { writeTxnMarkers } from '../../src/protocol/messages/27-write-txn-markers.ts';
import { KNOWN_PRODUCER_ID, knowProducer, startTransactingBroker, Transactor, valuesIn } from './transacting.ts';

for (const speech of ['old', 'new'] as const) {
  describe(`A producer that speaks the ${speech} way`, () => {
    it('writes what readers of committed records see when it is committed, everywhere', async () => {
      const broker = await startTransactingBroker();
      const producer = new Transactor(broker, 't', speech);
      assert.equal(await producer.init(), 'NONE');
      assert.deepEqual([await producer.write('a', 0, '1'), await producer.write('a', 1, '2')], ['NONE', 'NONE']);
      assert.equal(await producer.write('b', 0, '3'), 'NONE');
      assert.equal(await producer.state(), 'Ongoing');
      assert.deepEqual(await valuesIn(broker, 'a', 0), []);
      assert.deepEqual(await valuesIn(broker, 'a', 0, 'all'), ['1']);
      assert.equal(await producer.end('commit'), 'NONE');
      await broker.settle();
      assert.equal(await producer.state(), 'CompleteCommit');
      assert.deepEqual(
        [await valuesIn(broker, 'a', 0), await valuesIn(broker, 'a', 1), await valuesIn(broker, 'b', 0)],
        [['1'], ['2'], ['3']],
      );
    });

    it('leaves nothing to see of what is aborted, and goes on', async () => {
      const broker = await startTransactingBroker();
      const producer = new Transactor(broker, 't', speech);
      await producer.init();
      for (const [value, outcome] of [
        ['1', 'abort'],
        ['2', 'commit'],
        ['3', 'abort'],
        ['4', 'commit'],
      ] as const) {
        assert.equal(await producer.write('a', 0, value), 'NONE');
        assert.equal(await producer.end(outcome), 'NONE');
        await broker.settle();
      }
      assert.deepEqual(await valuesIn(broker, 'a', 0), ['2', '4']);
      assert.deepEqual(await valuesIn(broker, 'a', 0, 'all'), ['1', '2', '3', '4']);
    });

    it('is fenced by another one with its id, which aborts what was open', async () => {
      const broker = await startTransactingBroker();
      const old = new Transactor(broker, 't', speech);
      await old.init();
      assert.equal(await old.write('a', 0, 'lost'), 'NONE');
      const next = new Transactor(broker, 't', speech);
      assert.equal(await next.init(), 'CONCURRENT_TRANSACTIONS');
      await broker.settle();
      assert.equal(await next.init(), 'NONE');
      assert.equal(next.producerId, old.producerId);
      assert.ok(next.producerEpoch > old.producerEpoch);
      const late = await old.append('a', 0, 'late');
      assert.ok(late === 'INVALID_PRODUCER_EPOCH' || late === 'PRODUCER_FENCED', late);
      assert.equal(await old.end('commit'), 'PRODUCER_FENCED');
      assert.equal(await next.write('a', 0, 'kept'), 'NONE');
      assert.equal(await next.end('commit'), 'NONE');
      await broker.settle();
      assert.deepEqual(await valuesIn(broker, 'a', 0), ['kept']);
      assert.deepEqual(await valuesIn(broker, 'a', 0, 'all'), ['lost', 'kept']);
    });

    it('is fenced when its transaction takes too long', async () => {
      const broker = await startTransactingBroker();
      const producer = new Transactor(broker, 't', speech);
      await producer.init({ timeoutMs: 5_000 });
      assert.equal(await producer.write('a', 0, 'slow'), 'NONE');
      await broker.advance(30_000);
      assert.equal(await producer.state(), 'CompleteAbort');
      // To raise the epoch once is to fence: its old epoch may be that of a producer that has not heard of the end.
      assert.equal(await producer.end('commit'), speech === 'new' ? 'INVALID_TXN_STATE' : 'PRODUCER_FENCED');
      assert.deepEqual(await valuesIn(broker, 'a', 0), []);
    });

    it('may ask again for the end that it did not hear of', async () => {
      const broker = await startTransactingBroker();
      const producer = new Transactor(broker, 't', speech);
      await producer.init();
      await producer.write('a', 0, '1');
      const { producerId, producerEpoch } = producer;
      assert.equal(await producer.end('commit'), 'NONE');
      await broker.settle();
      const after = { producerId: producer.producerId, producerEpoch: producer.producerEpoch };
      Object.assign(producer, { producerId, producerEpoch });
      assert.equal(await producer.end('abort'), 'INVALID_TXN_STATE');
      assert.equal(await producer.end('commit'), 'NONE');
      assert.deepEqual({ producerId: producer.producerId, producerEpoch: producer.producerEpoch }, after);
    });

    it('gets another id when its epochs are used up, and still commits', async () => {
      const broker = await startTransactingBroker();
      await knowProducer(broker, 't', 32_760);
      const producer = new Transactor(broker, 't', speech);
      const epochs: number[] = [];
      for (let session = 0; session < 8; session++) {
        assert.equal(await producer.init(), 'NONE');
        epochs.push(producer.producerEpoch);
      }
      assert.deepEqual(epochs, [32_761, 32_762, 32_763, 32_764, 32_765, 32_766, 0, 1]);
      assert.notEqual(producer.producerId, KNOWN_PRODUCER_ID);
      assert.equal(await producer.write('a', 0, '1'), 'NONE');
      assert.equal(await producer.end('commit'), 'NONE');
      await broker.settle();
      assert.deepEqual(await valuesIn(broker, 'a', 0), ['1']);
    });
  });
}

describe('A producer that raises its epoch with each transaction', () => {
  it('goes on with another id where its epochs are used up, in the middle of everything', async () => {
    const broker = await startTransactingBroker();
    await knowProducer(broker, 't', 32_762);
    const producer = new Transactor(broker, 't', 'new');
    await producer.init();
    const seen: [boolean, number][] = [];
    for (let index = 0; index < 6; index++) {
      assert.equal(await producer.write('a', 0, String(index)), 'NONE');
      assert.equal(await producer.end(index % 2 === 0 ? 'commit' : 'abort'), 'NONE');
      await broker.settle();
      seen.push([producer.producerId === KNOWN_PRODUCER_ID, producer.producerEpoch]);
    }
    assert.deepEqual(seen, [
      [true, 32_764],
      [true, 32_765],
      [true, 32_766],
      [false, 0],
      [false, 1],
      [false, 2],
    ]);
    assert.deepEqual(await valuesIn(broker, 'a', 0), ['0', '2', '4']);
  });

  it('begins the next transaction while the markers of the last one are on their way', async () => {
    const environment = simulatedEnvironment();
    const later = () => new Promise<void>((resolve) => void environment.clock.schedule(4, resolve));
    const between = (channel: BrokerChannel): BrokerChannel => ({
      send: async (brokerId, api, request, version) => {
        if (api.key !== writeTxnMarkers.key) return channel.send(brokerId, api, request, version);
        await later();
        const answer = await channel.send(brokerId, api, request, version);
        await later();
        return answer;
      },
    });
    const broker = await startTransactingBroker({ environment, between });
    const producer = new Transactor(broker, 't', 'new');
    await producer.init();
    await producer.write('a', 0, '1');
    assert.equal(await producer.end('commit'), 'NONE');
    const next = producer.append('a', 0, '2');
    await broker.advance(60);
    assert.equal(await next, 'NONE');
  });

  it('may abort a transaction that it does not know to have begun', async () => {
    const broker = await startTransactingBroker();
    const producer = new Transactor(broker, 't', 'new');
    await producer.init();
    assert.equal(await producer.end('commit'), 'INVALID_TXN_STATE');
    assert.equal(await producer.end('abort'), 'NONE');
    await broker.settle();
    assert.deepEqual([producer.producerEpoch, await producer.state()], [1, 'CompleteAbort']);
  });
});

describe('Records of a transaction', () => {
  it('are refused where the client should have added the partition, and where nobody knows the producer', async () => {
    const broker = await startTransactingBroker();
    const producer = new Transactor(broker, 't', 'old');
    await producer.init();
    assert.equal(await producer.append('a', 0, 'not added'), 'TRANSACTION_ABORTABLE');
    const stranger = new Transactor(broker, 'stranger', 'new');
    Object.assign(stranger, { producerId: 77, producerEpoch: 0 });
    assert.equal(await stranger.append('a', 0, 'from nobody'), 'INVALID_PRODUCER_ID_MAPPING');
    assert.deepEqual(await valuesIn(broker, 'a', 0, 'all'), []);
  });
});
