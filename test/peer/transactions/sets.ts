import { produce } from '../../../src/protocol/messages/00-produce.ts';
import { addPartitionsToTxn } from '../../../src/protocol/messages/24-add-partitions-to-txn.ts';
import { endTxn } from '../../../src/protocol/messages/26-end-txn.ts';
import { txnOffsetCommit } from '../../../src/protocol/messages/28-txn-offset-commit.ts';
import type { Values } from '../differential/fit.ts';
import type { Request, Talker } from './conversation.ts';
import { RandomProducers } from './random-producers.ts';
import * as say from './says.ts';
import { scripted } from './scripted-talker.ts';
import { craftedScripts } from './scripts-of-logs.ts';
import { endScripts, sessionScripts } from './scripts-of-producers.ts';
import { partitionScripts, recordScripts } from './scripts-of-records.ts';

/** Of every broker that a conversation is had with. */
export const properties: Readonly<Record<string, string>> = {
  'transaction.state.log.num.partitions': '1',
  'transaction.state.log.replication.factor': '1',
  'transaction.state.log.min.isr': '1',
  'offsets.topic.num.partitions': '1',
  'offsets.topic.replication.factor': '1',
  'transaction.abort.timed.out.transaction.cleanup.interval.ms': '100',
  'log.cleaner.backoff.ms': '3600000',
  'log.initial.task.delay.ms': '3600000',
};

/** Conversations at one level of the feature transaction.version. */
export interface ConversationSet {
  /** Of the brokers, besides those of all sets. */
  readonly properties?: Readonly<Record<string, string>>;
  /** What is asked first. */
  readonly beforehand: readonly Request[];
  readonly talkers: (seeds: readonly number[], steps: number) => readonly Talker[];
}

const talkers = (seeds: readonly number[], steps: number): readonly Talker[] => [
  ...scripted({ ...sessionScripts, ...endScripts, ...recordScripts, ...partitionScripts }),
  ...seeds.map((seed) => new RandomProducers(seed, steps)),
];

/** Says the same as another, but at versions that have nothing to do with raised epochs. */
class OldTalker implements Talker {
  readonly name: string;
  readonly #talker: Talker;

  constructor(talker: Talker) {
    this.name = talker.name;
    this.#talker = talker;
  }

  next(): Request | null {
    const request = this.#talker.next();
    return request === null ? null : { ...request, ...this.#older(request) };
  }

  heard(answer: unknown, state: unknown): void {
    this.#talker.heard(answer, state);
  }

  #older({ key, version, request }: Request): Partial<Request> {
    const newest = NEWEST_OLD[key];
    if (key !== addPartitionsToTxn.key) return { version: Math.min(version, newest ?? version) };
    const transactions = request['transactions'] as readonly Values[] | undefined;
    return transactions === undefined
      ? {}
      : { request: { transactions: transactions.map((transaction) => ({ ...transaction, verifyOnly: true })) } };
  }
}

const NEWEST_OLD: Readonly<Record<number, number>> = { [produce.key]: 11, [endTxn.key]: 4, [txnOffsetCommit.key]: 4 };

const DOWNGRADE = 2;
/** Ids that are not told apart from none are used up. */
const first = [say.initIdle()];

export const conversationSets: Readonly<Record<'version 2' | 'version 1' | 'version 0' | 'crafted', ConversationSet>> = {
  'version 2': { beforehand: first, talkers },
  'version 1': { beforehand: [...first, say.feature(1, DOWNGRADE)], talkers },
  // Where clients raise epochs, Kafka cannot keep what they do: their transactional ids are stuck from then on.
  'version 0': {
    beforehand: [...first, say.feature(0, DOWNGRADE)],
    talkers: (seeds, steps) => talkers(seeds, steps).map((talker) => new OldTalker(talker)),
  },
  // Logs are made up by a client, so that a coordinator begins in any state.
  crafted: {
    properties: {
      'transaction.partition.verification.enable': 'false',
      'transaction.remove.expired.transaction.cleanup.interval.ms': '500',
    },
    beforehand: first,
    talkers: () => scripted(craftedScripts),
  },
};
