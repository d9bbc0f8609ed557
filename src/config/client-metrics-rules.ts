import { KafkaError } from '../protocol/errors.ts';
import { invalidConfig } from './config-value.ts';
import { clientMetricsTexts, clientMetricsValues, type Texts } from './effective.ts';

const INTERVAL_MIN_MS = 100;
const INTERVAL_MAX_MS = 3_600_000;

/** What of a client a subscription may look at (KIP-714). */
const matchable: ReadonlySet<string> = new Set([
  'client_instance_id',
  'client_id',
  'client_software_name',
  'client_software_version',
  'client_source_address',
  'client_source_port',
]);

/** Throws INVALID_REQUEST for an interval and INVALID_CONFIG for a pattern that cannot be. */
export function checkClientMetricsRules(texts: Texts): void {
  const config = clientMetricsValues(clientMetricsTexts(texts));
  const interval = config['interval.ms'];
  if (interval < INTERVAL_MIN_MS || interval > INTERVAL_MAX_MS) {
    const range = `interval must be between ${INTERVAL_MIN_MS} and ${INTERVAL_MAX_MS} (1 hour)`;
    throw new KafkaError('INVALID_REQUEST', `Invalid value ${interval} for interval.ms, ${range}`);
  }
  for (const entry of config.match) {
    const [name = '', pattern = '', ...rest] = entry.split('=').map((part) => part.trim());
    if (!matchable.has(name) || pattern === '' || rest.length > 0 || !isPattern(pattern)) {
      throw invalidConfig(`Illegal client matching pattern: ${entry}`);
    }
  }
}

function isPattern(text: string): boolean {
  try {
    return new RegExp(text) instanceof RegExp;
  } catch {
    return false;
  }
}
