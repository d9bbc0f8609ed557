import { coordinates } from './coordinates.ts';
import type { Request } from './conversation.ts';
import { type Broker, Side } from './side.ts';

const SERVED_WITHIN_MS = 30_000;

/** The broker coordinates transactions and groups, and has been asked what comes first. */
export async function beginSet(broker: Broker, beforehand: readonly Request[]): Promise<void> {
  await coordinates(broker);
  const side = new Side(broker, 'beforehand');
  try {
    for (const request of beforehand) await said(side, request);
  } finally {
    side.close();
  }
}

/** A broker that has just started has no producer ids yet. */
async function said(side: Side, request: Request): Promise<void> {
  const deadline = performance.now() + SERVED_WITHIN_MS;
  for (;;) {
    const answer = (await side.say(request)) as { readonly errorCode?: number };
    if (answer.errorCode === undefined || answer.errorCode === 0) return;
    if (performance.now() > deadline) throw new Error(`${JSON.stringify(request)} is answered ${JSON.stringify(answer)}`);
  }
}
