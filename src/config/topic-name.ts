import { KafkaError } from '../protocol/errors.ts';

const NAME_LENGTH_MAX = 249;
/** A message must not be longer than a string of the protocol; a name may be as long as one. */
const SHOWN_CHARACTERS_MAX = 10_000;

/** What is wrong with a topic name, in Kafka's words, or null. */
export function topicNameFault(name: string): string | null {
  if (name === '') return 'the empty string is not allowed';
  if (name === '.' || name === '..') return `'${name}' is not allowed`;
  if (name.length > NAME_LENGTH_MAX) {
    return `the length of '${name.slice(0, SHOWN_CHARACTERS_MAX)}' is longer than the max allowed length ${NAME_LENGTH_MAX}`;
  }
  if (/^[a-zA-Z0-9._-]+$/.test(name)) return null;
  return `'${name}' contains one or more characters other than ASCII alphanumerics, '.', '_' and '-'`;
}

/** Throws INVALID_TOPIC_EXCEPTION. */
export function checkTopicName(name: string): void {
  const fault = topicNameFault(name);
  if (fault !== null) throw new KafkaError('INVALID_TOPIC_EXCEPTION', `Topic name is invalid: ${fault}`);
}
