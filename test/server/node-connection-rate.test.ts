import assert from 'node:assert/strict';
import { it } from 'node:test';
import { SimulatedMachine } from '../../simulation/cluster/simulated-machine.ts';
import { SimulatedDisk } from '../../simulation/simulated-disk.ts';
import { incrementalAlterConfigs } from '../../src/protocol/messages/44-incremental-alter-configs.ts';
import { metadata } from '../../src/protocol/messages/03-metadata.ts';

it('max.connection.creation.rate can be set while a node runs, for all listeners and for one, and holds back who comes too fast', async () => {
  const disk = new SimulatedDisk();
  const machine = new SimulatedMachine({ seed: 1, diskOf: () => disk, properties: {} });
  await machine.run(() => machine.start());
  await machine.run(async () => {
    const admin = await machine.connect();
    const set = async (name: string, value: string): Promise<void> => {
      const configs = [{ name, configOperation: 0, value }];
      const resources = [{ resourceType: 4, resourceName: '', configs }];
      const { responses } = await admin.send(incrementalAlterConfigs, 1, { resources, validateOnly: false });
      assert.equal(responses[0]?.errorCode, 0);
    };
    /** How long a new client waits for its first answer. */
    const wait = async (): Promise<number> => {
      const since = machine.clock.monotonic();
      const client = await machine.connect();
      await client.send(metadata, 12, { topics: [], includeTopicAuthorizedOperations: false });
      client.close();
      return machine.clock.monotonic() - since;
    };
    assert.ok((await wait()) < 100);
    await set('max.connection.creation.rate', '0');
    assert.ok((await wait()) >= 1000);
    await set('max.connection.creation.rate', '1000');
    assert.ok((await wait()) < 100);
    await set('listener.name.plaintext.max.connection.creation.rate', '0');
    assert.ok((await wait()) >= 1000);
    admin.close();
  });
  await machine.run(() => machine.stop());
});
