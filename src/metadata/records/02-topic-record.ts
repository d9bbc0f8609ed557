import { message, string, uuid } from '../../protocol/schema.ts';

/** A new topic. */
export const topicRecord = message({
  name: 'TopicRecord',
  key: 2,
  versions: '0',
  flexible: '0+',
  fields: { name: string(), topicId: uuid() },
});
