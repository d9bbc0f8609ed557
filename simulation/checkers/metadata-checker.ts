import type { Allowed, History } from '../workload/history.ts';
import type { NodeState } from './node-state.ts';

/**
 * Holds the topics and configs of a node that started after a crash just before change `at` of the disk against what clients were told. Metadata is
 * durable before it is acknowledged, whatever the topics' own rules.
 */
export function checkMetadata(history: History, state: NodeState, at: number): void {
  for (const [name, register] of history.topics) {
    const found = state.get(name);
    const told = found === undefined ? null : { id: found.id, partitions: found.partitions };
    const isSame = (expected: { readonly id: string | null; readonly partitions: number } | null): boolean => {
      if (expected === null || told === null) return expected === told;
      return (expected.id === null || expected.id === told.id) && expected.partitions === told.partitions;
    };
    expectAllowed(`topic ${name}`, told, { allowed: register.after(at), isSame });
  }
  for (const name of state.keys()) {
    if (!history.topics.has(name)) throw new Error(`nobody made topic ${name}`);
  }
  for (const [key, register] of history.configs) {
    const [topic = '', config = ''] = key.split('/');
    const found = state.get(topic);
    if (found === undefined) continue;
    const told = found.configs.get(config) ?? null;
    expectAllowed(`config ${config} of ${topic}`, told, { allowed: register.after(at), isSame: (expected) => expected === told });
  }
}

function expectAllowed<T>(
  what: string,
  told: T,
  { allowed, isSame }: { readonly allowed: Allowed<T>; readonly isSame: (expected: T) => boolean },
): void {
  const { promised, possible } = allowed;
  if ([promised, ...possible].some(isSame)) return;
  const wanted = [promised, ...possible].map((value) => JSON.stringify(value)).join(' or ');
  throw new Error(`${what} is ${JSON.stringify(told)}, not ${wanted}`);
}

/** An id that was given to a producer is never given to another one. */
export function checkProducerId(history: History, at: number, id: number): void {
  const given = history.producerIds.find((earlier) => earlier.id === id && earlier.at <= at);
  if (given !== undefined) throw new Error(`producer id ${id} was given out before the crash, and is again`);
}
