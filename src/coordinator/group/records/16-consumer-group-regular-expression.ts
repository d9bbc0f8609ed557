import { array, int64, message, string } from '../../../protocol/schema.ts';

/** A regular expression to which members of a group subscribe. */
export const consumerGroupRegularExpressionKey = message({
  name: 'ConsumerGroupRegularExpressionKey',
  key: 16,
  versions: '0',
  flexible: 'none',
  fields: { groupId: string(), regularExpression: string() },
});

/** The topics that it matched, and when. */
export const consumerGroupRegularExpressionValue = message({
  name: 'ConsumerGroupRegularExpressionValue',
  key: 16,
  versions: '0',
  flexible: '0+',
  fields: { topics: array(string()), version: int64(), timestamp: int64() },
});
