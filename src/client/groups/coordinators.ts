import type { Endpoint } from '../../base/network.ts';
import { errorNameOf, KafkaError } from '../../protocol/errors.ts';
import { findCoordinator } from '../../protocol/messages/10-find-coordinator.ts';
import type { Client } from '../client.ts';
import { ClientError } from '../client-error.ts';
import type { Connection } from '../connection.ts';

/** What coordinators are found for, by its number in the protocol. */
export const COORDINATOR_KINDS = { group: 0, transaction: 1 } as const;

export type CoordinatorKind = (typeof COORDINATOR_KINDS)[keyof typeof COORDINATOR_KINDS];

/** The first version that asks for several keys at once (KIP-699). */
const FIRST_BATCHED_VERSION = 4;

/** A broker that coordinates. */
export interface CoordinatorNode extends Endpoint {
  readonly id: number;
}

/** Finds the coordinators of groups or transactional ids, in order of the ids. One whose coordinator cannot be told has the reason. */
export async function findCoordinators(
  client: Client,
  ids: readonly string[],
  keyType: CoordinatorKind = COORDINATOR_KINDS.group,
): Promise<Map<string, CoordinatorNode | KafkaError>> {
  const connection = await client.connections.any(client.metadata.endpoints);
  if (connection.versionOf(findCoordinator) < FIRST_BATCHED_VERSION) return await findOneByOne(connection, ids, keyType);
  const answer = await connection.request(findCoordinator, { keyType, coordinatorKeys: ids });
  const found = new Map(answer.coordinators.map((entry) => [entry.key, nodeOrError(entry)]));
  return new Map(ids.map((id) => [id, found.get(id) ?? new KafkaError('COORDINATOR_NOT_AVAILABLE')]));
}

async function findOneByOne(
  connection: Connection,
  ids: readonly string[],
  keyType: CoordinatorKind,
): Promise<Map<string, CoordinatorNode | KafkaError>> {
  const found = new Map<string, CoordinatorNode | KafkaError>();
  for (const key of ids) {
    found.set(key, nodeOrError(await connection.request(findCoordinator, { key, keyType, coordinatorKeys: [] })));
  }
  return found;
}

interface Found extends Endpoint {
  readonly nodeId: number;
  readonly errorCode: number;
  readonly errorMessage: string | null;
}

function nodeOrError({ errorCode, errorMessage, nodeId: id, host, port }: Found): CoordinatorNode | KafkaError {
  if (errorCode !== 0) {
    const name = errorNameOf(errorCode);
    return errorMessage === null || errorMessage === '' ? new KafkaError(name) : new KafkaError(name, errorMessage);
  }
  return id < 0 ? new KafkaError('COORDINATOR_NOT_AVAILABLE') : { id, host, port };
}

/** Errors that say that another broker is, or will be, the coordinator. */
export const coordinatorMoved = (error: unknown): boolean =>
  error instanceof ClientError
    ? error.retriable
    : error instanceof KafkaError && (error.errorName === 'NOT_COORDINATOR' || error.errorName === 'COORDINATOR_NOT_AVAILABLE');

/** Asks a coordinator about some of its groups; every group gets a value or an error of its own. */
type Question<T> = (
  connection: Connection,
  groupIds: readonly string[],
  node: CoordinatorNode,
) => Promise<ReadonlyMap<string, T | KafkaError>>;

/**
 * Asks about groups (or transactional ids) at their coordinators, each coordinator once for all of its groups, and again about groups whose
 * coordinator has moved or is loading, for as long as an operation may take.
 */
export async function askCoordinators<T>(
  client: Client,
  groupIds: readonly string[],
  ask: Question<T>,
  kind: CoordinatorKind = COORDINATOR_KINDS.group,
): Promise<Map<string, T | KafkaError>> {
  const results = new Map<string, T | KafkaError>();
  let open = [...new Set(groupIds)];
  const round = async (): Promise<void> => {
    const found = await findCoordinators(client, open, kind);
    for (const [id, node] of found) if (node instanceof KafkaError) results.set(id, node);
    const located = [...found].flatMap(([id, node]) => (node instanceof KafkaError ? [] : [{ id, node }]));
    for (const ofNode of Map.groupBy(located, ({ node }) => node.id).values()) {
      const [first] = ofNode;
      if (first === undefined) continue;
      const connection = await client.connections.get(first.node);
      const ids = ofNode.map(({ id }) => id);
      const answers = await ask(connection, ids, first.node);
      for (const id of ids) results.set(id, valueOf(answers, id));
    }
    open = open.filter((id) => isPassing(results.get(id)));
    const failure = open.map((id) => results.get(id)).find((result) => result instanceof KafkaError);
    if (failure !== undefined) throw failure;
  };
  try {
    await client.retrying(round);
  } catch (error) {
    // What was not settled keeps its own error in the result.
    if (!(error instanceof KafkaError) || open.some((id) => !results.has(id))) throw error;
  }
  return new Map(groupIds.map((id) => [id, valueOf(results, id)]));
}

/** A value may be null. */
function valueOf<T>(answers: ReadonlyMap<string, T | KafkaError>, groupId: string): T | KafkaError {
  const value = answers.get(groupId);
  return value === undefined ? new KafkaError('UNKNOWN_SERVER_ERROR', 'The coordinator did not answer for the group') : value;
}

const isPassing = (result: unknown): boolean => result instanceof KafkaError && result.retriable;
