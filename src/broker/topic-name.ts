const NAME_MAX = 249;
const LEGAL_NAME = /^[a-zA-Z0-9._-]+$/;

/** What is wrong with a topic's name, in Kafka's words; null if nothing is. */
export const topicNameFault = (name: string): string | null => {
  if (name === '') return 'the empty string is not allowed';
  if (name === '.' || name === '..') return `'${name}' is not allowed`;
  if (name.length > NAME_MAX) return `the length of '${name}' is longer than the max allowed length ${NAME_MAX}`;
  if (!LEGAL_NAME.test(name)) return `'${name}' contains one or more characters other than ASCII alphanumerics, '.', '_' and '-'`;
  return null;
};
