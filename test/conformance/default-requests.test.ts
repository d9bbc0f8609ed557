import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { groupsAreServed } from '../peer/differential/groups-are-served.ts';
import { advertisedApis, startTestNode, type TestNode, withController } from '../server/test-node.ts';
import { type DefaultExchange, defaultExchanges } from './golden.ts';
import { maskedAnswer } from './mask.ts';
import { RawConnection } from './raw-connection.ts';

/** How many exchanges have to be compared at least: the test must not pass because nothing is advertised. */
const comparedAtLeast = { broker: 160, controller: 45 };

for (const kind of ['broker', 'controller'] as const) {
  describe(`a request of all defaults to the listener of a ${kind}`, () => {
    let node: TestNode;
    before(async () => {
      node = await startTestNode(kind === 'broker' ? {} : { properties: withController });
      // The broker that was asked had groups.
      if (kind === 'broker') await groupsAreServed(node.port);
    });
    after(() => node.stop());

    it('gets the answer of Apache Kafka 4.4.0, for each advertised API at each version', async (t) => {
      const port = kind === 'broker' ? node.port : node.controllerPort;
      const advertised = await advertisedApis(port);
      let compared = 0;
      for (const [name, byVersion] of Object.entries(defaultExchanges()[kind])) {
        const key = Number(name.split(' ')[0]);
        if (!advertised.has(key)) continue;
        await t.test(name, async () => {
          for (const [version, exchange] of Object.entries(byVersion)) {
            await compareExchange(port, exchange, { advertised, what: `${name} ${version}` });
            compared++;
          }
        });
      }
      assert.ok(compared >= comparedAtLeast[kind], `${compared} exchanges compared`);
    });
  });
}

async function compareExchange(
  port: number,
  exchange: DefaultExchange,
  { advertised, what }: { readonly advertised: ReadonlySet<number>; readonly what: string },
): Promise<void> {
  const request = Buffer.from(exchange.requestHex, 'hex');
  const connection = await RawConnection.open(port);
  connection.send(request);
  assert.equal(await connection.ending(exchange.outcome === 'silent' ? 300 : 5000), exchange.outcome, what);
  if (exchange.answerHex !== undefined) {
    const ours = await connection.frame();
    assert.ok(ours !== null);
    const kafkas = maskedAnswer(request, Buffer.from(exchange.answerHex, 'hex'), { advertised });
    assert.deepEqual(maskedAnswer(request, ours, { advertised }), kafkas, what);
  }
  connection.destroy();
}
