import type { Values } from '../differential/fit.ts';

/**
 * What is asked of groups over some connections, and what becomes of it. Requests and answers have names in place of the ids that a coordinator makes (`<1>`,
 * `<2>` …), and bytes as `hex:…`.
 */
export interface Conversation {
  readonly name: string;
  /** The group that is described after each step. */
  readonly groupId: string;
  readonly steps: readonly Step[];
}

/** One request, and the answers that come of it: its own, or those of others that waited. */
export interface Step {
  /** The connection. */
  readonly on: string;
  readonly key: number;
  readonly version: number;
  readonly request: Values;
  /** Time that passes before. */
  readonly afterMs?: number;
  /** By connection. One that is not there waits on. */
  readonly answers: Readonly<Record<string, unknown>>;
  /** The group as it is described afterwards. */
  readonly group: unknown;
}

/** A request that is to be sent. */
export type Request = Pick<Step, 'on' | 'key' | 'version' | 'request' | 'afterMs'>;

/** What a conversation is made of: it is told the answers, and says what to ask next; null at the end. */
export interface Talker {
  readonly name: string;
  readonly groupId: string;
  next(): Request | null;
  heard(answers: Readonly<Record<string, unknown>>): void;
}
