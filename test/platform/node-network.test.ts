import assert from 'node:assert/strict';
import { once } from 'node:events';
import * as net from 'node:net';
import { networkInterfaces } from 'node:os';
import { after, describe, it } from 'node:test';
import type { Listener, Socket } from '../../src/base/network.ts';
import { nodeNetwork } from '../../src/platform/node-network.ts';

const hasIpv6 = Object.values(networkInterfaces()).some((addresses) => addresses?.some(({ address }) => address === '::1'));
const listeners: Listener[] = [];
after(async () => {
  for (const listener of listeners) await listener.close();
});

async function listening(host: string, port = 0): Promise<{ listener: Listener; accepted: Socket[] }> {
  const accepted: Socket[] = [];
  const listener = await nodeNetwork.listen({ host, port }, { accept: (socket) => accepted.push(socket) });
  listeners.push(listener);
  return { listener, accepted };
}

async function reach(host: string, port: number): Promise<'reached' | 'refused'> {
  const socket = net.connect({ host, port });
  try {
    await once(socket, 'connect');
    return 'reached';
  } catch {
    return 'refused';
  } finally {
    socket.destroy();
  }
}

describe('listening', () => {
  for (const host of ['', 'localhost']) {
    it(`at “${host}” takes both families under one port`, async () => {
      const { listener, accepted } = await listening(host);
      assert.notEqual(listener.address.port, 0);
      assert.equal(await reach('127.0.0.1', listener.address.port), 'reached');
      assert.equal(await reach('::1', listener.address.port), hasIpv6 ? 'reached' : 'refused');
      while (accepted.length < (hasIpv6 ? 2 : 1)) await new Promise((resolve) => void setImmediate(resolve));
      assert.equal(accepted[0]?.remote.host, '127.0.0.1', 'an IPv4 peer is shown by its IPv4 address');
      for (const socket of accepted) socket.destroy();
    });
  }

  it('at one address leaves the others alone', async () => {
    const { listener } = await listening('127.0.0.1');
    assert.equal(await reach('::1', listener.address.port), 'refused');
  });

  it('fails when the port is taken, in either family', async () => {
    const { listener } = await listening('127.0.0.1');
    for (const host of ['', 'localhost', '127.0.0.1']) {
      await assert.rejects(listening(host, listener.address.port), { code: 'EADDRINUSE' });
    }
    const other = hasIpv6 ? await listening('::1') : null;
    if (other !== null) await assert.rejects(listening('localhost', other.listener.address.port), { code: 'EADDRINUSE' });
  });

  it('ends while accepted sockets live on', async () => {
    const { listener, accepted } = await listening('127.0.0.1');
    const client = await nodeNetwork.connect(listener.address, { timeoutMs: 5_000 });
    while (accepted.length === 0) await new Promise((resolve) => void setImmediate(resolve));
    await listener.close();
    assert.equal(await reach('127.0.0.1', listener.address.port), 'refused');
    const echoed = new Promise<string>((resolve) => {
      client.start({ data: (chunk) => resolve(Buffer.from(chunk).toString()), ended() {}, drained() {}, closed() {} });
    });
    accepted[0]?.start({ data: (chunk) => accepted[0]?.write([Uint8Array.from(chunk)]), ended() {}, drained() {}, closed() {} });
    client.write([Buffer.from('still here')]);
    assert.equal(await echoed, 'still here');
    client.destroy();
    accepted[0]?.destroy();
  });
});

describe('connecting', () => {
  it('gives up in time', async () => {
    // Nobody shakes hands here: the listener speaks no TLS and says nothing.
    const { listener, accepted } = await listening('127.0.0.1');
    await assert.rejects(nodeNetwork.connect(listener.address, { timeoutMs: 20, tls: {} }), /within 20 ms/);
    for (const socket of accepted) socket.destroy();
  });
});
