import { KafkaError } from '../../../protocol/errors.ts';
import { PatternMatcher } from './pattern-matcher.ts';
import { parsePattern } from './pattern-parser.ts';
import { compileProgram } from './pattern-program.ts';
import { PatternError } from './pattern-syntax.ts';

/** Kafka has no limit of its own. */
const PATTERN_LENGTH_MAX = 10_000;
/** How much of a pattern that is too long an error repeats. */
const SHOWN_LENGTH = 100;

/** A regular expression over names of topics. */
export interface TopicPattern {
  readonly text: string;
  /** Whether the whole name matches. */
  matches(topic: string): boolean;
}

/**
 * Compiles a regular expression with RE2's syntax, which has neither backreferences nor lookarounds and matches in linear time whatever the pattern
 * (KIP-848). Throws INVALID_REGULAR_EXPRESSION with Kafka's message, which says what the expression is called where it was given.
 */
export function compileTopicPattern(text: string, calledBy = 'SubscribedTopicRegex'): TopicPattern {
  if (text.length > PATTERN_LENGTH_MAX) {
    throw invalid(calledBy, `${text.slice(0, SHOWN_LENGTH)}…`, `longer than ${PATTERN_LENGTH_MAX} characters`);
  }
  try {
    const matcher = new PatternMatcher(compileProgram(parsePattern(text)));
    return { text, matches: (topic) => matcher.matches(topic) };
  } catch (error) {
    if (error instanceof PatternError) throw invalid(calledBy, text, error.message);
    throw error;
  }
}

function invalid(calledBy: string, text: string, reason: string): KafkaError {
  return new KafkaError('INVALID_REGULAR_EXPRESSION', `${calledBy} \`${text}\` is not a valid regular expression: ${reason}.`);
}
