import { ZERO_UUID } from '../../../src/base/uuid.ts';

/** Values that each cluster makes for itself. Which of one stands for which of the other is learnt from answers. */
export type PairKind = 'topicId' | 'producerId' | 'sessionId' | 'memberId' | 'clusterId' | 'address' | 'directory';

/** Values that mean the same everywhere. */
const shared: ReadonlySet<unknown> = new Set([ZERO_UUID, -1, 0, '', null]);

const KIND_OF_FIELD: Readonly<Record<string, PairKind>> = {
  topicId: 'topicId',
  producerId: 'producerId',
  sessionId: 'sessionId',
  memberId: 'memberId',
  leader: 'memberId',
  clusterId: 'clusterId',
  replicaDirectoryId: 'directory',
};

export const pairKindOf = (field: string): PairKind | undefined => KIND_OF_FIELD[field];

/** Which value of Kafka stands for which of Ottla. */
export class Pairs {
  readonly #ours = new Map<string, unknown>();
  readonly #theirs = new Map<string, unknown>();
  /** In texts, the longest first. */
  #texts: { readonly theirs: string; readonly ours: string }[] = [];

  /** Whether the two stand for each other; two that were never seen do from now on. */
  match(kind: PairKind, theirs: unknown, ours: unknown): boolean {
    if (kind !== 'producerId' && (shared.has(theirs) || shared.has(ours))) return theirs === ours;
    if (theirs === -1 || ours === -1) return theirs === ours;
    const known = this.#ours.get(key(kind, theirs));
    if (known === undefined && !this.#theirs.has(key(kind, ours))) {
      this.learn(kind, theirs, ours);
      return true;
    }
    return known === ours;
  }

  learn(kind: PairKind, theirs: unknown, ours: unknown): void {
    this.#ours.set(key(kind, theirs), ours);
    this.#theirs.set(key(kind, ours), theirs);
    if (typeof theirs !== 'string' || typeof ours !== 'string') return;
    this.#texts.push({ theirs, ours });
    this.#texts.sort((a, b) => b.ours.length - a.ours.length);
  }

  /** What to send to Ottla where Kafka is sent `theirs`; values that neither has made are sent as they are. */
  toOurs<T>(kind: PairKind, theirs: T): T {
    return (this.#ours.get(key(kind, theirs)) as T | undefined) ?? theirs;
  }

  /** The other way round. */
  toTheirs<T>(kind: PairKind, ours: T): T {
    return (this.#theirs.get(key(kind, ours)) as T | undefined) ?? ours;
  }

  /** A text of Ottla with the ids and addresses that Kafka would have put there. */
  textToTheirs(text: string): string {
    return this.#texts.reduce((changed, { theirs, ours }) => changed.replaceAll(ours, theirs), text);
  }
}

const key = (kind: PairKind, value: unknown): string => `${kind} ${String(value)}`;
