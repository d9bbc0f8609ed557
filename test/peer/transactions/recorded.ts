import { type Recorded, RecordedConversations } from '../recorded-conversations.ts';
import type { Conversation } from './conversation.ts';

export type RecordedConversation = Recorded<Conversation>;

export const transactionConversations = new RecordedConversations<Conversation>('transaction-conversations');
