import { message, uuid } from '../../protocol/schema.ts';

/** A topic that is deleted. */
export const removeTopicRecord = message({
  name: 'RemoveTopicRecord',
  key: 9,
  versions: '0',
  flexible: '0+',
  fields: { topicId: uuid() },
});
