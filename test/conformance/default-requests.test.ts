import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startTestNode, type TestNode } from '../server/test-node.ts';
import { defaultExchanges } from './golden.ts';
import { maskedAnswer } from './mask.ts';
import { RawConnection } from './raw-connection.ts';

/** FindCoordinator and DescribeTopicPartitions tell of coordinators and of their topics, which come with consumer groups. */
const restsOnCoordinators: ReadonlySet<number> = new Set([10, 75]);

describe('a request of all defaults', () => {
  let node: TestNode;
  let advertised: ReadonlySet<number>;
  before(async () => {
    node = await startTestNode();
    advertised = await node.advertisedApis();
  });
  after(() => node.stop());

  it('gets the answer of Apache Kafka 4.4.0, for each advertised API at each version', async (t) => {
    let compared = 0;
    for (const [name, byVersion] of Object.entries(defaultExchanges().broker)) {
      const key = Number(name.split(' ')[0]);
      if (!advertised.has(key)) continue;
      await t.test(name, async () => {
        for (const [version, exchange] of Object.entries(byVersion)) {
          if (restsOnCoordinators.has(key)) continue;
          const request = Buffer.from(exchange.requestHex, 'hex');
          const connection = await RawConnection.open(node.port);
          connection.send(request);
          assert.equal(
            await connection.ending(exchange.outcome === 'silent' ? 300 : 5000),
            exchange.outcome,
            `${name} ${version}`,
          );
          if (exchange.answerHex !== undefined) {
            const ours = await connection.frame();
            assert.ok(ours !== null);
            const kafkas = maskedAnswer(request, Buffer.from(exchange.answerHex, 'hex'), { advertised });
            assert.deepEqual(maskedAnswer(request, ours, { advertised }), kafkas, `${name} ${version}`);
          }
          connection.destroy();
          compared++;
        }
      });
    }
    assert.ok(compared >= 60, `${compared} exchanges compared`);
  });
});
