import { readFileSync, writeFileSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { Conversation } from './conversation.ts';

/** A conversation that was had with Kafka, and in which set. */
export interface RecordedConversation extends Conversation {
  readonly set: string;
}

const url = new URL('../../golden/wire/transaction-conversations.jsonl.gz', import.meta.url);

export const readConversations = (): readonly RecordedConversation[] =>
  gunzipSync(readFileSync(url))
    .toString('utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as RecordedConversation);

export const writeConversations = (conversations: readonly RecordedConversation[]): void =>
  writeFileSync(url, gzipSync(conversations.map((each) => `${JSON.stringify(each)}\n`).join(''), { level: 9 }));
