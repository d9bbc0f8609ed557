import type { GroupShardContext } from '../group-shard-context.ts';
import type { GroupRecord } from '../group-record.ts';

/** The consumer groups of one shard. */
export class ConsumerGroups {
  readonly #context: GroupShardContext;

  constructor(context: GroupShardContext) {
    this.#context = context;
  }

  replay(record: GroupRecord): void {
    void record;
    void this.#context;
  }

  loaded(): void {
    void this.#context;
  }

  unloaded(): void {
    void this.#context;
  }
}
