/** Beside what Kafka's tool says, ours says what to do about it in an indented line. */
export const withoutRemedies = (stderr: string): string => stderr.replaceAll(/^ {2}.*\n/gm, '');

/** Lines in which Ottla says the same in words of its own. */
export const inOwnWords = (lines: readonly string[]): readonly string[] =>
  lines.map((line) => line.replace(/^(Failed to describe 1 topics: ).*( Enable debug.*)$/, '$1…$2'));
