import { errorNameOf, textOf } from '../../../src/protocol/errors.ts';
import type { Difference } from './compare.ts';
import type { Exchange } from './exchange.ts';
import type { Values } from './fit.ts';

interface Deliberate {
  /** Why Ottla answers differently on purpose, or where that is written. */
  readonly why: string;
  covers(difference: Difference, exchange: Exchange): boolean;
}

const UNKNOWN_SERVER_ERROR = -1;
const INVALID_RECORD = 87;
const INVALID_REQUEST = 42;

/** Everything in which the answers to valid requests may differ. */
const deliberate: readonly Deliberate[] = [
  {
    why: 'what is not a batch is called INVALID_RECORD where Kafka has an exception it did not foresee (docs/decisions/0030)',
    covers: ({ path, kafka, ottla }, { api }) =>
      api.key === 0 && path.endsWith('.errorCode') && kafka === UNKNOWN_SERVER_ERROR && ottla === INVALID_RECORD,
  },
  {
    why: 'an empty name is called invalid, as by Metadata, where Kafka fails at it',
    covers: (_difference, { api, request }) =>
      api.key === 75 && (request['topics'] as { name: string }[]).some(({ name }) => name === ''),
  },
  {
    why: 'a topic without id and name is an INVALID_REQUEST, where Kafka fails at it',
    covers: ({ path, kafka, ottla }, { api }) =>
      api.key === 3 && path.endsWith('errorCode') && kafka === UNKNOWN_SERVER_ERROR && ottla === INVALID_REQUEST,
  },
  {
    why: 'the producers of a partition are told once, however often the request names it',
    covers: ({ path, kafka, ottla }, { api }) =>
      api.key === 61 && path.endsWith('partitions.length') && Number(kafka) > Number(ottla),
  },
  {
    why: 'which of several wrong changes of a resource is told is up to a hash table in Kafka',
    covers: ({ kafka, ottla }, { api }) =>
      (api.key === 33 || api.key === 44) && WRONG_CHANGE.test(String(kafka)) && WRONG_CHANGE.test(String(ottla)),
  },
  {
    why: 'each cluster has its own metadata log, of which this tells the offsets and epochs',
    covers: ({ path }, { api }) => api.key === 55 && /\.(leaderEpoch|highWatermark|logEndOffset)$/.test(path),
  },
  {
    why: 'an operation that does not exist is called INVALID_REQUEST where Kafka fails at looking it up',
    covers: ({ path }, { api, request }) => api.key === 44 && /errorCode|errorMessage/.test(path) && hasUnknownOperation(request),
  },
];

const WRONG_CHANGE = /^Can't (APPEND|SUBTRACT) to key|^Unknown group config name/;

const hasUnknownOperation = (request: Values): boolean =>
  (request['resources'] as { configs: { configOperation: number }[] }[]).some(({ configs }) =>
    configs.some(({ configOperation }) => configOperation < 0 || configOperation > 3),
  );

/** Kafka's own text of each error, by code, where Ottla said what its table says. */
export type ErrorTexts = Map<number, string>;

/** The differences of an exchange that nobody meant. */
export function unintended({ differences, ...exchange }: Exchange, texts: ErrorTexts): readonly Difference[] {
  const whole = { differences, ...exchange };
  return differences.filter(
    (difference) => !isTextOfTable(difference, whole, texts) && !deliberate.some((each) => each.covers(difference, whole)),
  );
}

/** What an error says when there is nothing more to say is said in words of our own: one text for each of Kafka's. */
function isTextOfTable({ path, kafka, ottla }: Difference, { ottla: outcome }: Exchange, texts: ErrorTexts): boolean {
  if (!path.endsWith('rrorMessage') || typeof kafka !== 'string' || outcome.kind !== 'answered') return false;
  const code = valueAt(outcome.response, path.replace(/errorMessage$/, 'errorCode'));
  if (typeof code !== 'number' || ottla !== textOf(errorNameOf(code))) return false;
  const known = texts.get(code);
  if (known === undefined) texts.set(code, kafka);
  return known === undefined || known === kafka;
}

function valueAt(value: unknown, path: string): unknown {
  const steps = path.split(/[.[\]]+/).filter((step) => step !== '');
  return steps.reduce<unknown>((inner, step) => {
    if (Array.isArray(inner)) return inner[Number(step)] ?? inner.find((entry: Values) => Object.values(entry).includes(step));
    return (inner as Values | undefined)?.[step];
  }, value);
}
