import { CommanderError } from 'commander';
import { ClientError, type ClientFailure } from '../client/client-error.ts';
import { type ErrorName, KafkaError } from '../protocol/errors.ts';
import { DiskError } from '../base/disk.ts';
import { CliError, EXIT_FAILED, EXIT_USAGE } from './cli-error.ts';
import type { Terminal } from './terminal.ts';

/** A failure as it is shown: to a person, or with `--json` to a program. */
export interface Failure {
  text(terminal: Terminal): string;
  readonly json: string;
  readonly exitCode: number;
}

const FENCED =
  'Another producer has this --transactional id now, or its transaction was ended from outside; give each producer its own id.';

const remedyOfError: Partial<Record<ErrorName, string>> = {
  UNKNOWN_TOPIC_OR_PARTITION: 'See what exists with "ottla topics list"; make it with "ottla topics create NAME".',
  UNKNOWN_TOPIC_ID: 'The topic was probably deleted and created again; try once more.',
  TOPIC_ALREADY_EXISTS: 'Use --if-not-exists to accept that, or choose another name.',
  INVALID_REPLICATION_FACTOR: 'Ask for as many replicas as there are brokers, or fewer.',
  NOT_ENOUGH_REPLICAS: 'Bring the missing replicas back, or lower min.insync.replicas of the topic.',
  OFFSET_OUT_OF_RANGE: 'See which offsets exist with "ottla offsets TOPIC --time earliest" and "--time latest".',
  MESSAGE_TOO_LARGE: 'Send smaller records, or raise max.message.bytes of the topic.',
  UNSUPPORTED_VERSION: 'The broker is older than this command; use the tools that came with it.',
  TOPIC_AUTHORIZATION_FAILED: 'Ask for the permission on this topic, or use other credentials.',
  GROUP_AUTHORIZATION_FAILED: 'Ask for the permission on this group, or use other credentials.',
  GROUP_ID_NOT_FOUND: 'See which groups exist with "ottla groups list --all-types".',
  GROUP_MAX_SIZE_REACHED:
    'Stop another member of the group, or raise group.max.size (group.consumer.max.size with --protocol consumer).',
  INCONSISTENT_GROUP_PROTOCOL:
    'See what the group uses with "ottla groups state NAME", and choose the same with --assignor or --protocol.',
  INVALID_SESSION_TIMEOUT:
    'The broker allows what lies between its group.min.session.timeout.ms and group.max.session.timeout.ms.',
  FENCED_INSTANCE_ID: 'Another member uses this --group-instance-id now; give each its own.',
  UNRELEASED_INSTANCE_ID: 'Another member uses this --group-instance-id; stop it first, or give this one another.',
  UNSUPPORTED_ASSIGNOR:
    'The broker knows the assignors of its group.consumer.assignors, uniform and range if nothing else is said.',
  INVALID_REGULAR_EXPRESSION: 'With --protocol consumer the broker reads the pattern, in the syntax of RE2.',
  INVALID_PRODUCER_EPOCH: FENCED,
  PRODUCER_FENCED: FENCED,
  INVALID_TRANSACTION_TIMEOUT:
    'The broker allows what its transaction.max.timeout.ms says; ask for less with --transaction-timeout.',
  CLUSTER_AUTHORIZATION_FAILED: 'Ask for the permission on the cluster, or use other credentials.',
};

const remedyOfFailure: Partial<Record<ClientFailure, string>> = {
  unreachable: 'Start a node with "ottla start", or name a running one with --bootstrap-server HOST:PORT.',
  timeout: 'Look whether the brokers are up and reachable, or allow more time with --timeout.',
  disconnected:
    'Look at the log of the broker for the reason, and whether its listener wants TLS or a certificate (--command-config).',
  'buffer-full': 'The brokers take records too slowly; look whether they are up.',
};

/** Somebody answered there, but the two did not come to speak TLS. */
const SECURITY_REMEDY =
  'Look whether the listener speaks TLS, and what --command-config trusts: ssl.truststore.location, the name in the certificate.';

const remedyOfClientError = ({ failure, message }: ClientError): string | null =>
  failure === 'unreachable' && /\b(TLS|SSL|certificate)/i.test(message) ? SECURITY_REMEDY : (remedyOfFailure[failure] ?? null);

/** What happened, where, and what to do about it; `command` is the one that was meant, such as `ottla topics create`. */
export function describeFailure(thrown: unknown, command: string): Failure {
  const { what, remedy, code, exitCode } = factsOf(thrown, command);
  return {
    text: (terminal) => `${terminal.styleNote(['red', 'bold'], 'error:')} ${what}${remedy === null ? '' : `\n  ${remedy}`}`,
    json: JSON.stringify({ error: { code, message: what, ...(remedy === null ? {} : { remedy }) } }),
    exitCode,
  };
}

interface FailureFacts {
  readonly what: string;
  readonly remedy: string | null;
  readonly code: string;
  readonly exitCode: number;
}

function factsOf(thrown: unknown, command: string): FailureFacts {
  if (thrown instanceof CommanderError) {
    const what = thrown.message.replace(/^error: /, '').replace('\n(Did', ' (Did');
    return { what, remedy: `See "${command} --help".`, code: 'USAGE', exitCode: EXIT_USAGE };
  }
  if (thrown instanceof CliError) {
    return { what: thrown.message, remedy: thrown.remedy, code: thrown.code, exitCode: thrown.exitCode };
  }
  if (thrown instanceof KafkaError) {
    return {
      what: thrown.message,
      remedy: remedyOfError[thrown.errorName] ?? null,
      code: thrown.errorName,
      exitCode: EXIT_FAILED,
    };
  }
  if (thrown instanceof ClientError) {
    const code = thrown.failure.toUpperCase().replaceAll('-', '_');
    return { what: thrown.message, remedy: remedyOfClientError(thrown), code, exitCode: EXIT_FAILED };
  }
  if (thrown instanceof DiskError) {
    return { what: `${thrown.path}: ${thrown.message}`, remedy: null, code: thrown.code, exitCode: EXIT_FAILED };
  }
  const stack = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
  return {
    what: stack,
    remedy: 'This is a bug of Ottla. Please report it with the lines above.',
    code: 'BUG',
    exitCode: EXIT_FAILED,
  };
}
