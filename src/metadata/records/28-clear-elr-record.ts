import { message, string } from '../../protocol/schema.ts';

/** The eligible leader replicas of a topic, or of all, are cleared (KIP-966). */
export const clearElrRecord = message({
  name: 'ClearElrRecord',
  key: 28,
  versions: '0',
  flexible: '0+',
  fields: { topicName: string() },
});
