import { KafkaError } from '../../../../src/protocol/errors.ts';
import { compileTopicPattern } from '../../../../src/coordinator/group/regex/topic-pattern.ts';

/** Which of the texts a pattern matches, by index; or why it is none. */
export function askPattern(pattern: string, texts: readonly string[]): readonly number[] | string {
  try {
    const compiled = compileTopicPattern(pattern);
    return texts.flatMap((text, index) => (compiled.matches(text) ? [index] : []));
  } catch (error) {
    if (!(error instanceof KafkaError) || error.errorName !== 'INVALID_REGULAR_EXPRESSION') throw error;
    const before = `SubscribedTopicRegex \`${pattern}\` is not a valid regular expression: `;
    return error.message.startsWith(before) ? error.message.slice(before.length, -1) : error.message;
  }
}
