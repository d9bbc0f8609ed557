import { ZERO_UUID } from '../../../src/base/uuid.ts';
import type { MetadataRecord } from '../../../src/metadata/metadata-record.ts';
import type { Known } from './step.ts';

/** Ids and epochs that differ from run to run, under names that do not. */
export class Names implements Known {
  readonly clusterId: string;
  readonly #topicIds = new Map<string, string>();
  readonly #namesOfIds = new Map<string, string>();
  readonly #epochs = new Map<number, number>();
  readonly #namesOfEpochs = new Map<number, string>();
  readonly #registrations = new Map<number, number>();

  constructor(clusterId: string) {
    this.clusterId = clusterId;
  }

  topicId(name: string): string {
    const id = this.#topicIds.get(name);
    if (id === undefined) throw new Error(`topic ${name} was not created`);
    return id;
  }

  epoch(brokerId: number): number {
    return this.#epochs.get(brokerId) ?? -7;
  }

  /** Takes note of the ids and epochs in records. */
  learn(records: readonly MetadataRecord[]): void {
    for (const record of records) {
      if (record.type === 'TopicRecord') this.learnTopic(record.value.name, record.value.topicId);
      if (record.type === 'RegisterBrokerRecord') this.#learnEpoch(record.value.brokerId, record.value.brokerEpoch);
    }
  }

  learnTopic(name: string, id: string): void {
    if (this.#namesOfIds.has(id)) return;
    this.#topicIds.set(name, id);
    const sameName = [...this.#namesOfIds.values()].filter(
      (known) => known === `id of ${name}` || known.startsWith(`id of ${name} #`),
    );
    this.#namesOfIds.set(id, sameName.length === 0 ? `id of ${name}` : `id of ${name} #${sameName.length + 1}`);
  }

  /** The same value with names for ids and epochs, and nothing that JSON cannot hold. */
  mask(value: unknown, key = ''): unknown {
    if (Array.isArray(value)) return value.map((item) => this.mask(item, key));
    if (typeof value === 'object' && value !== null) {
      return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, this.mask(item, name)]));
    }
    if (typeof value === 'string')
      return this.#namesOfIds.get(value) ?? (key === 'topicId' && value !== ZERO_UUID ? 'an id' : value);
    if (typeof value === 'number' && key === 'brokerEpoch') return this.#namesOfEpochs.get(value) ?? value;
    return value;
  }

  #learnEpoch(brokerId: number, epoch: number): void {
    this.#epochs.set(brokerId, epoch);
    if (this.#namesOfEpochs.has(epoch)) return;
    const count = (this.#registrations.get(brokerId) ?? 0) + 1;
    this.#registrations.set(brokerId, count);
    this.#namesOfEpochs.set(epoch, `epoch ${count} of ${brokerId}`);
  }
}

/** What a step led to, as it is compared. */
export interface Outcome {
  readonly note: string;
  readonly response: unknown;
  readonly records: readonly unknown[];
}

/** Records whose order is that of somebody's hash tables are put into one order. */
export function outcomeOf(
  names: Names,
  note: string,
  result: { readonly response: unknown; readonly records: readonly MetadataRecord[] },
): Outcome {
  names.learn(result.records);
  return {
    note,
    response: sorted(names.mask(result.response)),
    records: result.records.map((record) => names.mask(record)).sort(byText),
  };
}

/** Lists of results by topic or resource come in any order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = value.map(sorted);
    return items.some((item) => typeof item === 'object' && item !== null) ? items.sort(byText) : items;
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, sorted(item)]));
}

const byText = (a: unknown, b: unknown): number => {
  const [left, right] = [JSON.stringify(a), JSON.stringify(b)];
  return left < right ? -1 : left > right ? 1 : 0;
};
