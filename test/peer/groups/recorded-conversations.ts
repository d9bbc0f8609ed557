import { type Recorded, RecordedConversations } from '../recorded-conversations.ts';
import type { Conversation } from './conversation.ts';

export type RecordedConversation = Recorded<Conversation>;

export const groupConversations = new RecordedConversations<Conversation>('group-conversations');
