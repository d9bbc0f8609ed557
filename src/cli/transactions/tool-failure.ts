import { ClientError } from '../../client/client-error.ts';
import { type ErrorName, KafkaError } from '../../protocol/errors.ts';
import { CliError } from '../cli-error.ts';
import { kafkaMessage } from '../groups/kafka-words.ts';
import type { Terminal } from '../terminal.ts';

interface FailureOptions {
  readonly json?: boolean | undefined;
}

const REMEDIES: Partial<Record<ErrorName, string>> = {
  TRANSACTIONAL_ID_NOT_FOUND: 'See which ids there are with "ottla transactions list".',
  UNKNOWN_TOPIC_OR_PARTITION: 'See what exists with "ottla topics describe".',
  TRANSACTIONAL_ID_AUTHORIZATION_FAILED: 'Ask for the permission on this transactional id, or use other credentials.',
  CLUSTER_AUTHORIZATION_FAILED: 'Ask for the permission on the cluster, or use other credentials.',
  INVALID_REGULAR_EXPRESSION: 'Write the pattern in the syntax of RE2, without look-around and back-references.',
};

/** Says what cannot be done in the very line of kafka-transactions, which has no `error:` before it; with `--json` as any other command. */
export function sayRefusal(terminal: Terminal, options: FailureOptions, text: string, remedy?: string): void {
  if (options.json === true) throw new CliError(text, remedy === undefined ? {} : { remedy });
  terminal.fail(text);
  if (remedy !== undefined) terminal.note(`  ${remedy}`);
  terminal.exitCode = 1;
}

/** Does the work of a command. What brokers refuse is told as kafka-transactions does, with `what` in front. */
export async function inToolWords(
  terminal: Terminal,
  options: FailureOptions,
  what: string,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof KafkaError || error instanceof ClientError) || options.json === true) throw error;
    const message = error instanceof KafkaError ? kafkaMessage(error) : error.message;
    const remedy = error instanceof KafkaError ? REMEDIES[error.errorName] : undefined;
    sayRefusal(terminal, options, `${what}: ${message}. Enable debug logging for additional detail.`, remedy);
  }
}
