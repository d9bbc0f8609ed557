import type { ReplayContext } from '../../runtime/coordinator-shard.ts';
import type { GroupRecord } from '../group-record.ts';
import type { GroupShardContext } from '../group-shard-context.ts';

/** The committed offsets of one shard's groups. */
export class Offsets {
  readonly #context: GroupShardContext;

  constructor(context: GroupShardContext) {
    this.#context = context;
  }

  replay(record: GroupRecord, context: ReplayContext): void {
    void record;
    void context;
    void this.#context;
  }

  replayEndOfTransaction(producerId: number, outcome: 'commit' | 'abort'): void {
    void producerId;
    void outcome;
    void this.#context;
  }

  loaded(): void {
    void this.#context;
  }
}
