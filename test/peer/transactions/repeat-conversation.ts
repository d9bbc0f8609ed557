import { isDeepStrictEqual } from 'node:util';
import { endTxn } from '../../../src/protocol/messages/26-end-txn.ts';
import type { Values } from '../differential/fit.ts';
import type { Conversation, Step } from './conversation.ts';
import { type Broker, Side } from './side.ts';

const AGREES_WITHIN_MS = 4_000;
/** The steps that Ottla answers otherwise on purpose, see docs/decisions/0098. Nothing after them can be compared. */
const deliberate: ReadonlySet<string> = new Set(['both kinds of clients share an id, step 18']);

/** Has the same conversation with Ottla; gives what went another way. */
export async function repeatConversation(ottla: Broker, { name, steps, closing }: Conversation): Promise<string[]> {
  const side = new Side(ottla, name);
  const differences: string[] = [];
  try {
    await side.begin();
    for (const [index, step] of steps.entries()) {
      const asked = `${name}, step ${index}: ${step.key} v${step.version} ${JSON.stringify(step.request)}`;
      const answer = plain(await side.say(step));
      if (!isDeepStrictEqual(answer, step.answer) && !isFencedOnPurpose(step, answer))
        differences.push(describe(`${asked}, the answer`, answer, step.answer));
      const state = await stateWhen(side, step.state);
      if (!isDeepStrictEqual(state, step.state)) differences.push(describe(`${asked}, the state`, state, step.state));
      // What follows would differ for this reason alone.
      if (differences.length > 0) return deliberate.has(`${name}, step ${index}`) ? [] : differences;
    }
    const logs = plain(await side.closing()) as Readonly<Record<string, unknown>>;
    for (const [log, expected] of Object.entries(closing as Readonly<Record<string, unknown>>))
      if (!isDeepStrictEqual(logs[log], expected)) differences.push(describe(`${name}, the log ${log}`, logs[log], expected));
    return differences;
  } finally {
    side.close();
  }
}

const PRODUCER_FENCED = 90;
const NONE = 0;
const INVALID_TXN_STATE = 48;

/**
 * Whoever ends a transaction with the epoch before the current one may be told that it is fenced, where Kafka takes it for one that asks again: it need not be the one to whom the
 * current epoch was given. Nothing changes by either answer, which the state afterwards tells.
 */
function isFencedOnPurpose({ key, answer: expected }: Step, answer: unknown): boolean {
  const [kafka, ottla] = [expected, answer].map((each) => (each as Values)['errorCode']);
  return key === endTxn.key && ottla === PRODUCER_FENCED && (kafka === NONE || kafka === INVALID_TXN_STATE);
}

async function stateWhen(side: Side, expected: unknown): Promise<unknown> {
  const deadline = performance.now() + AGREES_WITHIN_MS;
  for (;;) {
    const state = plain(await side.state());
    if (isDeepStrictEqual(state, expected) || performance.now() > deadline) return state;
  }
}

/** As it is once it has been through a file. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

const describe = (what: string, actual: unknown, expected: unknown): string =>
  [what, ...differencesOf('', actual, expected).slice(0, 12)].join('\n    ');

/** Where the two differ. */
function differencesOf(path: string, actual: unknown, expected: unknown): string[] {
  if (isDeepStrictEqual(actual, expected)) return [];
  const isInner = [actual, expected].every((value) => typeof value === 'object' && value !== null);
  if (!isInner) return [`${path}: Kafka ${JSON.stringify(expected)}, Ottla ${JSON.stringify(actual)}`];
  const [ours, theirs] = [actual as Readonly<Record<string, unknown>>, expected as Readonly<Record<string, unknown>>];
  return [...new Set([...Object.keys(ours), ...Object.keys(theirs)])].flatMap((key) =>
    differencesOf(`${path}.${key}`, ours[key], theirs[key]),
  );
}
