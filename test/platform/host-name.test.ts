import assert from 'node:assert/strict';
import { lookup } from 'node:dns/promises';
import { it } from 'node:test';
import { hostName } from '../../src/platform/host-name.ts';

it('this machine has a name or an address that leads to it', async () => {
  const name = await hostName();
  assert.match(name, /^[\w.:%-]+$/);
  await lookup(name);
});
