import type { NodeState } from './node-state.ts';

/** Throws when a record that consumers saw before the last crash is gone, though what they see has to be durable. */
export function checkStillThere(before: NodeState, after: NodeState): void {
  for (const [name, topic] of before) {
    for (const [partition, { records }] of topic.contents.entries()) {
      const now = after.get(name)?.contents[partition];
      const last = records.at(-1);
      if (now === undefined || last === undefined || last.offset < now.start) continue;
      const found = now.records.find(({ offset }) => offset === last.offset);
      if (found?.value !== last.value) {
        throw new Error(`${name}-${partition}: consumers saw a record at ${last.offset}, and it is not there any more`);
      }
    }
  }
}
