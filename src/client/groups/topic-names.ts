import { ZERO_UUID, type Uuid } from '../../base/uuid.ts';
import { metadata } from '../../protocol/messages/03-metadata.ts';
import type { Client } from '../client.ts';

/** The name of each topic that can be named, by id: what the client knows, and for the rest one question to the cluster. */
export async function topicNames(client: Client, ids: readonly Uuid[]): Promise<Map<Uuid, string>> {
  const names = new Map<Uuid, string>();
  const learn = (id: Uuid, name: string | null): void => {
    if (name !== null && name !== '') names.set(id, name);
  };
  for (const id of ids) learn(id, client.metadata.nameOf(id));
  const unknown = ids.filter((id) => id !== ZERO_UUID && !names.has(id));
  if (unknown.length === 0) return names;
  const answer = await client.sendToAny(metadata, {
    topics: unknown.map((topicId) => ({ name: null, topicId })),
    allowAutoTopicCreation: false,
    includeTopicAuthorizedOperations: false,
  });
  for (const { errorCode, topicId, name } of answer.topics) if (errorCode === 0) learn(topicId, name);
  return names;
}
