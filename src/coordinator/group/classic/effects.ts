import type { KafkaError } from '../../../protocol/errors.ts';
import type { CoordinatorResult } from '../../runtime/coordinator-shard.ts';
import type { GroupRecord } from '../group-record.ts';

/** What comes of a change that a group has made already: records that keep it, and what follows once they are written, or are not. */
export interface Effects {
  readonly records: readonly GroupRecord[];
  readonly settled?: (error: KafkaError | null) => void;
}

export const NOTHING: Effects = { records: [] };

/** The records are not replayed: they would put a group in place of the one that its members talk to. */
export const resultOf = <Response>(
  effects: Effects,
  response: Response | Promise<Response>,
): CoordinatorResult<GroupRecord, Response> => ({ ...effects, response, isReplayed: false });
