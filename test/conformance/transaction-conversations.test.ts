import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { beginSet } from '../peer/transactions/begin-set.ts';
import { repeatConversation } from '../peer/transactions/repeat-conversation.ts';
import { transactionConversations } from '../peer/transactions/recorded.ts';
import { type ConversationSet, conversationSets, properties } from '../peer/transactions/sets.ts';
import type { Broker } from '../peer/transactions/side.ts';
import { startTestNode, type TestNode } from '../server/test-node.ts';
import { SteeredClock } from './steered-clock.ts';

const conversations = transactionConversations.read();

for (const [name, set] of Object.entries(conversationSets)) {
  const ofSet = conversations.filter((conversation) => conversation.set === name);

  describe(`conversations about transactions that Apache Kafka 4.4.0 had, ${name}`, () => {
    let broker: RestartableNode;

    before(async () => {
      broker = await RestartableNode.start(set);
      await beginSet(broker, set.beforehand);
    });
    after(() => broker.stop());

    it(`go the same way, ${ofSet.length} of them`, async () => {
      for (const conversation of ofSet) assert.deepEqual(await repeatConversation(broker, conversation), []);
      assert.ok(ofSet.length > 1);
    });
  });
}

/** A node whose time passes when it is told to, and that can be stopped and started. */
class RestartableNode implements Broker {
  readonly #options: Parameters<typeof startTestNode>[0];
  readonly #directory: string;
  readonly #clock: SteeredClock;
  #node: TestNode;
  port: number;

  private constructor(options: Parameters<typeof startTestNode>[0], clock: SteeredClock, directory: string, node: TestNode) {
    this.#options = options;
    this.#clock = clock;
    this.#directory = directory;
    this.#node = node;
    this.port = node.port;
  }

  static async start(set: ConversationSet): Promise<RestartableNode> {
    const directory = mkdtempSync(join(tmpdir(), 'ottla-conversations-'));
    const clock = new SteeredClock(1);
    // Time that passes at once is no time in which a broker should have been heard of.
    const steady = { 'broker.session.timeout.ms': '3600000' };
    const options = { directory, clock, properties: { ...properties, ...set.properties, ...steady } };
    return new RestartableNode(options, clock, directory, await startTestNode(options));
  }

  readonly pass = (ms: number): Promise<void> => this.#clock.pass(ms);
  readonly now = (): number => this.#clock.now();
  readonly restart = async (): Promise<number> => {
    await this.#node.stop();
    this.#node = await startTestNode(this.#options);
    return this.#node.port;
  };

  async stop(): Promise<void> {
    await this.#node.stop();
    rmSync(this.#directory, { recursive: true, force: true });
  }
}
