import { isDeepStrictEqual } from 'node:util';
import type { Conversation } from './conversation.ts';
import { type Broker, Side } from './side.ts';

const AGREES_WITHIN_MS = 4_000;

/** Has the same conversation with Ottla; gives what went another way. */
export async function repeatConversation(ottla: Broker, { name, steps, closing }: Conversation): Promise<string[]> {
  const side = new Side(ottla, name);
  const differences: string[] = [];
  try {
    await side.begin();
    for (const [index, step] of steps.entries()) {
      const asked = `${name}, step ${index}: ${step.key} v${step.version} ${JSON.stringify(step.request)}`;
      const answer = plain(await side.say(step));
      if (!isDeepStrictEqual(answer, step.answer)) differences.push(describe(`${asked}, the answer`, answer, step.answer));
      const state = await stateWhen(side, step.state);
      if (!isDeepStrictEqual(state, step.state)) differences.push(describe(`${asked}, the state`, state, step.state));
      // What follows would differ for this reason alone.
      if (differences.length > 0) return differences;
    }
    const logs = plain(await side.closing()) as Readonly<Record<string, unknown>>;
    for (const [log, expected] of Object.entries(closing as Readonly<Record<string, unknown>>))
      if (!isDeepStrictEqual(logs[log], expected)) differences.push(describe(`${name}, the log ${log}`, logs[log], expected));
    return differences;
  } finally {
    side.close();
  }
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
