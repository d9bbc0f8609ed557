import { KafkaError } from '../protocol/errors.ts';

const NAME_LENGTH_MAX = 249;
/** What is shown of a name. It may be 32,767 bytes long, and an answer may have to repeat it for each of 250,000 partitions. */
const SHOWN_CHARACTERS_MAX = 500;

/** What is wrong with a topic name, in Kafka's words, or null. */
export function topicNameFault(name: string): string | null {
  if (name === '') return 'the empty string is not allowed';
  if (name === '.' || name === '..') return `'${name}' is not allowed`;
  if (name.length > NAME_LENGTH_MAX) {
    return `the length of '${shownName(name)}' is longer than the max allowed length ${NAME_LENGTH_MAX}`;
  }
  if (/^[a-zA-Z0-9._-]+$/.test(name)) return null;
  return `'${shownName(name)}' contains one or more characters other than ASCII alphanumerics, '.', '_' and '-'`;
}

/** A name that somebody sent, for a message: cut where none can be as long. */
export const shownName = (name: string): string => name.slice(0, SHOWN_CHARACTERS_MAX);

/** Throws INVALID_TOPIC_EXCEPTION. */
export function checkTopicName(name: string): void {
  const fault = topicNameFault(name);
  if (fault !== null) throw new KafkaError('INVALID_TOPIC_EXCEPTION', `Topic name is invalid: ${fault}`);
}
