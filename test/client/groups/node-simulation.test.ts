import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { GroupOptions } from '../../../src/client/groups/group-options.ts';
import { NodeWorld } from './node-world.ts';

const kinds: readonly { readonly name: string; readonly options: Partial<GroupOptions> }[] = [
  { name: 'eager classic members', options: { assignors: ['range'] } },
  { name: 'cooperative classic members', options: { assignors: ['cooperative-sticky'] } },
  { name: 'members by KIP-848', options: { protocol: 'consumer' } },
];
const SEEDS = 6;
const STEPS = 30;
const MEMBERS_MAX = 5;

/** One thing that happens to the group. */
async function step(world: NodeWorld): Promise<void> {
  const { random } = world.world;
  const { living } = world;
  const chosen = living[random.integer(Math.max(1, living.length))];
  switch (random.integer(9)) {
    case 0:
    case 1:
      if (living.length < MEMBERS_MAX) world.join();
      break;
    case 2:
      if (chosen !== undefined) await world.does(() => chosen.leave());
      break;
    case 3:
      chosen?.die();
      break;
    case 4:
      if (chosen !== undefined) chosen.isBusy = !chosen.isBusy;
      break;
    case 5:
      if (world.partitions < 6) await world.grow();
      break;
    case 6:
      await world.stopNode(random.integer(2) === 0 ? 'orderly' : 'killed');
      await world.world.scheduler.run(random.integer(3000));
      await world.startNode();
      break;
    case 7:
      if (chosen !== undefined) {
        world.world.network.cut('broker', chosen.name, { isOneWay: random.integer(2) === 0 });
        await world.world.scheduler.run(random.integer(10_000));
        world.world.network.heal();
      }
      break;
    default:
      await world.write(random.integer(world.partitions), 1 + random.integer(20));
  }
}

for (const { name, options } of kinds) {
  test(`${name} of a whole node come, go, die, are slow and cut off while it restarts: no two own a partition in one epoch, offsets never go back, and all is read`, async () => {
    for (let seed = 1; seed <= SEEDS; seed++) {
      const world = await NodeWorld.start(seed, 3, options);
      const { random, scheduler } = world.world;
      for (let count = 0; count < STEPS; count++) {
        if (random.integer(2) === 0) await world.write(random.integer(world.partitions), 1 + random.integer(20));
        await step(world);
        await scheduler.run(random.integer(6000));
        world.checkOwners();
        await world.checkCommitted();
      }
      for (const member of world.living) member.isBusy = false;
      if (world.living.length === 0) world.join();
      await scheduler.runUntil(() => world.isDone, 300_000);
      await scheduler.run(5000);
      await world.checkCommitted();
      assert.deepEqual(new Map([...world.committed].filter(([key]) => world.written.has(key))), world.written, `seed ${seed}`);
      for (const { failures, name: who } of world.members) assert.deepEqual(failures, [], `seed ${seed}, ${who}`);
    }
  });
}

test('the checks find two owners in one epoch, and an offset that went back', async () => {
  const world = await NodeWorld.start(1, 1, {});
  const member = world.join();
  await world.write(0, 3);
  await world.world.scheduler.runUntil(() => world.isDone);
  world.checkOwners();
  world.members.push(member);
  assert.throws(() => world.checkOwners(), /orders\/0 in epoch 1/);
  world.members.pop();
  await world.does(() => member.leave());
  await world.checkCommitted();
  await world.setBack();
  await assert.rejects(world.checkCommitted(), /orders\/0 went back from 3 to 1/);
});
