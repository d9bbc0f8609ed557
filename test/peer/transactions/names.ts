import { textOf, errorNameOf } from '../../../src/protocol/errors.ts';
import type { Values } from '../differential/fit.ts';
import { bytesOf, isRecordsSpec, viewBatches } from './records.ts';

/** Ids from here on are not given out by a coordinator: a conversation makes them up. */
const LITERAL_ID = 1_000_000;
const ID_FIELDS: ReadonlySet<string> = new Set(['producerId', 'previousProducerId', 'nextProducerId', 'v3AndBelowProducerId']);
const TIME_FIELDS: ReadonlySet<string> = new Set([
  'transactionStartTimeMs',
  'lastTimestamp',
  'logAppendTimeMs',
  'transactionLastUpdateTimestampMs',
  'transactionStartTimestampMs',
  'commitTimestamp',
]);
const OWN = '#';
const ID_OF_TOPIC = 'id of ';

/** The names that stand for what differs between brokers, in one conversation with one broker. */
export class Names {
  readonly #prefix: string;
  readonly #ids = new Map<string, number>();
  readonly #names = new Map<number, string>();
  readonly #topicIds = new Map<string, string>();

  constructor(conversation: string) {
    this.#prefix = `${conversation.replaceAll(/[^a-z0-9]+/gi, '-')}.`;
  }

  /** Whether something belongs to this conversation. */
  isOwn(text: string): boolean {
    return text.startsWith(this.#prefix);
  }

  knowTopic(name: string, id: string): void {
    this.#topicIds.set(name, id);
  }

  own(text: string): string {
    return text.startsWith(OWN) ? this.#prefix + text.slice(OWN.length) : text;
  }

  /** A request as it is sent to this broker. */
  toWire(request: Values, now: number): Values {
    return this.#toWire('', request, now) as Values;
  }

  #toWire(field: string, value: unknown, now: number): unknown {
    if (typeof value === 'string') {
      if (/^<\d+>$/.test(value)) return this.#ids.get(value) ?? 0;
      if (value.startsWith(ID_OF_TOPIC)) return this.#topicIds.get(this.own(value.slice(ID_OF_TOPIC.length))) ?? value;
      return this.own(value);
    }
    if (Array.isArray(value)) return value.map((element) => this.#toWire(field, element, now));
    if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value;
    const entries = Object.entries(value).map(([name, inner]) => [name, this.#toWire(name, inner, now)]);
    const changed = Object.fromEntries(entries) as Values;
    return isRecordsSpec(changed) ? bytesOf(changed, now) : changed;
  }

  /** An answer as every broker would give it. */
  fromWire(answer: unknown): unknown {
    return this.#fromWire('', answer);
  }

  #fromWire(field: string, value: unknown): unknown {
    if (field === 'records' && value instanceof Uint8Array) return viewBatches(value, this);
    // The state of offsets has a text for each partition, in order.
    if (field === 'ends' || field === 'stable') return value;
    if (typeof value === 'number') return this.#numberFrom(field, value);
    if (typeof value === 'string') return this.#textFrom(field, value);
    if (Array.isArray(value)) return sorted(value.map((element) => this.#fromWire(field, element)));
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value).map(([name, inner]) => [name, this.#fromWire(name, inner)]);
    const changed = Object.fromEntries(entries) as Record<string, unknown>;
    const { errorCode, errorMessage } = value as Values;
    // What an error says when there is nothing more to say is said in words of our own.
    if (typeof errorCode === 'number' && typeof errorMessage === 'string' && isOfTable(errorCode, errorMessage))
      changed['errorMessage'] = 'text of the error';
    return changed;
  }

  #numberFrom(field: string, value: number): unknown {
    if (TIME_FIELDS.has(field)) return value > 0 ? 'time' : value;
    return ID_FIELDS.has(field) ? this.nameOf(value) : value;
  }

  #textFrom(field: string, value: string): string {
    if (field === 'topicId') {
      const name = [...this.#topicIds].find(([, id]) => id === value)?.[0];
      return name === undefined ? value : `${ID_OF_TOPIC}${this.#textFrom('', name)}`;
    }
    return value.replaceAll(this.#prefix, OWN).replaceAll(/\d{13}/g, 'time');
  }

  /** Whether a producer id came up in this conversation. */
  isKnown(producerId: number): boolean {
    return producerId >= LITERAL_ID || this.#names.has(producerId);
  }

  nameOf(producerId: number): string | number {
    if (producerId <= 0 || producerId >= LITERAL_ID) return producerId;
    const known = this.#names.get(producerId);
    if (known !== undefined) return known;
    const name = `<${this.#ids.size + 1}>`;
    this.#names.set(producerId, name);
    this.#ids.set(name, producerId);
    return name;
  }
}

/** Kafka's own words, where they are not those of ours. */
const isOfTable = (code: number, text: string): boolean => text === textOf(errorNameOf(code)) || KAFKA_WORDS.has(text);

/** What Kafka's table of errors says of those that come up. */
const KAFKA_WORDS: ReadonlySet<string> = new Set([]);

/** Kafka has much of what it lists in hash tables. */
function sorted(elements: readonly unknown[]): unknown[] {
  const keyOf = (element: unknown): string => {
    if (typeof element === 'number') return String(element).padStart(20);
    if (typeof element === 'string') return element;
    if (typeof element !== 'object' || element === null) return '';
    const { transactionalId, name, topic, topicId, producerId, partitionIndex, index, firstOffset } = element as Values;
    const number = partitionIndex ?? index;
    return [
      transactionalId,
      name,
      topic,
      topicId,
      producerId,
      typeof number === 'number' ? String(number).padStart(5) : '',
      firstOffset,
    ]
      .map((part) => (typeof part === 'string' || typeof part === 'number' ? String(part) : ''))
      .join(' ');
  };
  return elements
    .map((element) => ({ element, key: keyOf(element) }))
    .sort((a, b) => (a.key < b.key ? -1 : Number(a.key > b.key)))
    .map(({ element }) => element);
}
