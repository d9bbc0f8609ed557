import type { Values } from '../differential/fit.ts';

/**
 * What is asked about transactions over one connection, and what is answered. In place of what differs from broker to broker are names: `<1>` for the first producer id that was
 * told, `#a` for what belongs to this conversation only, `time` for a time.
 */
export interface Conversation {
  readonly name: string;
  readonly steps: readonly Step[];
  /** What was written meanwhile. */
  readonly closing: unknown;
}

export interface Step extends Request {
  readonly answer: unknown;
  /** The transactions, producers and offsets afterwards, when all is calm. */
  readonly state: unknown;
}

/** A request that is to be sent. */
export interface Request {
  readonly key: number;
  readonly version: number;
  readonly request: Values;
  /** Time that passes before. */
  readonly afterMs?: number;
  /** The broker is stopped and started before. */
  readonly afterRestart?: boolean;
  /** Who asks; some may do more than others. */
  readonly clientId?: string;
}

/** What a conversation is made of: it is told the answers, and says what to ask next; null at the end. */
export interface Talker {
  readonly name: string;
  next(): Request | null;
  heard(answer: unknown, state: unknown): void;
}
