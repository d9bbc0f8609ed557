import type { ErrorName } from '../../protocol/errors.ts';
import { listTopics } from '../admin-topics.ts';
import type { Client } from '../client.ts';
import { ClientError } from '../client-error.ts';
import { topicError } from '../cluster-metadata.ts';
import type { Subscription } from './membership.ts';

/** The topics that a member of a classic group reads, and how many partitions topics have. */
export class SubscribedTopics {
  readonly #client: Client;
  readonly #subscription: Subscription;
  readonly #expression: RegExp | null;

  constructor(client: Client, subscription: Subscription) {
    this.#client = client;
    this.#subscription = subscription;
    this.#expression = subscription.kind === 'pattern' ? expressionOf(subscription.pattern) : null;
  }

  /** Their names in order. A pattern is asked of the cluster as it is now; topics the cluster keeps for itself never match. */
  async names(): Promise<readonly string[]> {
    if (this.#subscription.kind === 'names') return this.#subscription.topics.toSorted();
    const all = await listTopics(this.#client);
    return all.filter(({ name, isInternal }) => !isInternal && this.#expression?.test(name) === true).map(({ name }) => name);
  }

  /** How many partitions each topic has as far as the client knows; one that does not exist has none. */
  async counts(topics: Iterable<string>): Promise<Map<string, number>> {
    const names = [...topics];
    const errors = await this.#client.loadTopics(names);
    for (const [topic, error] of errors) if (!ABSENT.has(error)) throw topicError(topic, error);
    return new Map(names.map((name) => [name, this.#client.metadata.topic(name)?.partitions.length ?? 0]));
  }
}

const ABSENT: ReadonlySet<ErrorName> = new Set(['UNKNOWN_TOPIC_OR_PARTITION', 'LEADER_NOT_AVAILABLE']);

function expressionOf(pattern: string): RegExp {
  try {
    return new RegExp(`^(?:${pattern})$`);
  } catch (error) {
    throw new ClientError(
      'invalid',
      `"${pattern}" is not a regular expression: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

/** Whether two sets of counts say the same. */
export const sameCounts = (a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): boolean =>
  a.size === b.size && [...a].every(([topic, count]) => b.get(topic) === count);
