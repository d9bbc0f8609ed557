import type { Synonym } from './define-configs.ts';

/** Broker configs that say the same in different units. The first one that is set counts. */
const families: readonly (readonly string[])[] = [
  ['log.roll.ms', 'log.roll.hours'],
  ['log.roll.jitter.ms', 'log.roll.jitter.hours'],
  ['log.flush.interval.ms', 'log.flush.scheduler.interval.ms'],
  ['log.retention.ms', 'log.retention.minutes', 'log.retention.hours'],
];

/** Configs that a listener may have for each SASL mechanism, as in `listener.name.sasl_ssl.plain.sasl.jaas.config`. */
const mechanismConfigs: readonly string[] = [
  'sasl.jaas.config',
  'sasl.login.callback.handler.class',
  'sasl.login.class',
  'sasl.server.callback.handler.class',
  'connections.max.reauth.ms',
];

const LISTENER_PREFIX = /^listener\.name\.[^.]*\.(.*)$/;

/** A config of one listener without its prefix: `listener.name.external.ssl.key.password` is `ssl.key.password`; null for any other. */
export function withoutListener(name: string): string | null {
  const rest = LISTENER_PREFIX.exec(name)?.[1];
  if (rest === undefined) return null;
  return mechanismConfigs.find((config) => rest.endsWith(config)) ?? rest;
}

/** The broker configs that a value may come from, in order of precedence; the name itself is among them. */
export function brokerSynonyms(name: string): readonly string[] {
  const family = families.find((names) => names.includes(name));
  if (family !== undefined) return family;
  const rest = withoutListener(name);
  return rest === null ? [name] : [name, rest];
}

const MILLIS_PER_MINUTE = 60_000n;
const MILLIS_PER_HOUR = 3_600_000n;

/** A whole number as a text, in the unit of the synonym, turned into milliseconds. */
export function toMillis(text: string, unit: Synonym['unit']): string {
  if (unit === undefined) return text;
  return String(BigInt(text) * (unit === 'hours' ? MILLIS_PER_HOUR : MILLIS_PER_MINUTE));
}
