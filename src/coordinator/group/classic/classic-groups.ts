import type { GroupShardContext } from '../group-shard-context.ts';
import type { GroupRecord } from '../group-record.ts';

/** The classic groups of one shard. */
export class ClassicGroups {
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
