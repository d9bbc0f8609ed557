import { apiVersions } from '../../../src/protocol/messages/18-api-versions.ts';
import type { Api } from '../../../src/protocol/schema.ts';
import { batchBytes, isBatchSpec } from './batch-spec.ts';
import type { BrokerSide, Outcome } from './broker-side.ts';
import { compareAnswers, type CompareOptions, type Difference } from './compare.ts';
import { mapFields, type Values } from './fit.ts';
import { type Pairs, pairKindOf } from './pairs.ts';
import type { TopicsNow } from './world.ts';

export interface Asked {
  readonly api: Api;
  readonly version: number;
  /** In Kafka's terms, with batches as they are specified. */
  readonly request: Values;
}

export interface Exchange extends Asked {
  readonly index: number;
  readonly kafka: Outcome;
  readonly ottla: Outcome;
  readonly differences: readonly Difference[];
  /** What the two disagree on afterwards. */
  readonly stateDifferences?: readonly Difference[];
  /** The topics that there are afterwards, if that may have changed. */
  readonly topics?: TopicsNow;
}

/** Asks Kafka (no pairs), or Ottla in its own terms. */
export function ask(side: BrokerSide, { api, version, request }: Asked, pairs: Pairs | null): Promise<Outcome> {
  const isAnswered = !(api.key === 0 && request['acks'] === 0);
  const translated = pairs === null ? request : translate(request, pairs);
  const bytes = mapFields(translated, (_name, value) =>
    isBatchSpec(value) ? batchBytes(value) : isHex(value) ? Buffer.from(value.hex, 'hex') : value,
  ) as Values;
  return side.ask(api, version, bytes, { isAnswered });
}

/** Bytes, in a form that a recording keeps. */
const isHex = (value: unknown): value is { readonly hex: string } =>
  typeof value === 'object' && value !== null && 'hex' in value;

const translate = (request: Values, pairs: Pairs): Values =>
  mapFields(request, (name, value) => {
    const kind = pairKindOf(name);
    return kind === undefined ? value : pairs.toOurs(kind, value);
  }) as Values;

export function compareOutcomes(api: Api, kafka: Outcome, ottla: Outcome, options: CompareOptions): Difference[] {
  if (kafka.kind !== 'answered' || ottla.kind !== 'answered') {
    return kafka.kind === ottla.kind ? [] : [{ path: 'outcome', kafka: kafka.kind, ottla: ottla.kind }];
  }
  if (api.key === apiVersions.key) keepServed(kafka.response as Versions, ottla.response as Versions);
  return compareAnswers(kafka.response, ottla.response, options);
}

interface Versions {
  apiKeys: { readonly apiKey: number }[];
}

/** Leaves out what is not served here yet. */
function keepServed(kafka: Versions, ottla: Versions): void {
  const served = new Set(ottla.apiKeys.map(({ apiKey }) => apiKey));
  kafka.apiKeys = kafka.apiKeys.filter(({ apiKey }) => served.has(apiKey));
}
