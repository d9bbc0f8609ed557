import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ControllerChannel } from '../../src/broker/forwarding.ts';
import { brokerTexts, brokerValues } from '../../src/config/effective.ts';
import { KafkaError } from '../../src/protocol/errors.ts';
import { decodeResponse } from '../../src/protocol/header.ts';
import { brokerRegistration } from '../../src/protocol/messages/62-broker-registration.ts';
import type { Api, RequestOf, ResponseOf } from '../../src/protocol/schema.ts';
import { BrokerLifecycle } from '../../src/server/broker-lifecycle.ts';
import { simulatedWorld } from '../network/worlds.ts';

const DIRECTORY = 'LohucB2WTN-J3kL5U3YRwg';
/** Answers of zeros: registered with epoch 0, unfenced. */
const REGISTERED = Buffer.alloc(20);
const UNFENCED = Buffer.alloc(15);

/** A controller that may be away. */
class Controller implements ControllerChannel {
  isAway = false;
  readonly offlineSeen: unknown[] = [];

  send<A extends Api>(api: A, request: RequestOf<A>, { version }: { readonly version: number }): Promise<ResponseOf<A>> {
    if (this.isAway) return Promise.reject(new KafkaError('NOT_CONTROLLER'));
    if ('offlineLogDirs' in request) this.offlineSeen.push(request.offlineLogDirs);
    const bytes = api.key === brokerRegistration.key ? REGISTERED : UNFENCED;
    return Promise.resolve(decodeResponse(api, version, bytes).response);
  }
}

async function setUp() {
  const world = simulatedWorld();
  const controller = new Controller();
  const fromFile = new Map([
    ['log.dir.failure.timeout.ms', '5000'],
    ['node.id', '1'],
    ['process.roles', 'broker'],
  ]);
  const config = brokerValues(brokerTexts({ fromFile, clusterDefault: new Map(), own: new Map() }));
  const failures: unknown[] = [];
  const lifecycle = new BrokerLifecycle(world.environment, {
    channel: controller,
    brokerId: 1,
    clusterId: 'cluster',
    config: () => config,
    directoryIds: [DIRECTORY],
    cordonedDirectoryIds: () => [],
    previousBrokerEpoch: -1,
    metadataOffset: () => 0,
    fatal: (error) => failures.push(error),
  });
  await world.resolve(lifecycle.register([]));
  await world.resolve(lifecycle.unfence());
  return { world, controller, lifecycle, failures };
}

describe('a broker with a failed log directory', () => {
  it('tells the controller at once, and goes on', async () => {
    const { world, controller, lifecycle, failures } = await setUp();
    lifecycle.directoryFailed(DIRECTORY);
    lifecycle.directoryFailed(DIRECTORY);
    await world.scheduler.run(60_000);
    assert.deepEqual([controller.offlineSeen.slice(0, 2), failures], [[[], [DIRECTORY]], []]);
    lifecycle.close();
  });

  it('stops when the controller cannot be told within log.dir.failure.timeout.ms', async () => {
    const { world, controller, lifecycle, failures } = await setUp();
    controller.isAway = true;
    lifecycle.directoryFailed(DIRECTORY);
    await world.scheduler.run(4_999);
    assert.deepEqual(failures, []);
    await world.scheduler.run(1);
    assert.match(String(failures[0]), /could not be told within 5000 ms \(log\.dir\.failure\.timeout\.ms\).*LohucB2WTN/);
    assert.equal(failures.length, 1);
    lifecycle.close();
  });

  it('goes on when the controller comes back in time, and when it stops by itself', async () => {
    for (const comesBack of [true, false]) {
      const { world, controller, lifecycle, failures } = await setUp();
      controller.isAway = true;
      lifecycle.directoryFailed(DIRECTORY);
      await world.scheduler.run(1_000);
      if (comesBack) controller.isAway = false;
      else lifecycle.close();
      await world.scheduler.run(60_000);
      assert.deepEqual(failures, []);
      lifecycle.close();
    }
  });
});
