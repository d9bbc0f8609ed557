import type { Counter, Metrics } from '../base/metrics.ts';

const counters = {
  messagesIn: 'MessagesInPerSec',
  bytesIn: 'BytesInPerSec',
  bytesOut: 'BytesOutPerSec',
  bytesRejected: 'BytesRejectedPerSec',
  produceRequests: 'TotalProduceRequestsPerSec',
  fetchRequests: 'TotalFetchRequestsPerSec',
  failedProduceRequests: 'FailedProduceRequestsPerSec',
  failedFetchRequests: 'FailedFetchRequestsPerSec',
} as const;

export type TopicCounter = keyof typeof counters;

type TopicCounters = { readonly [K in TopicCounter]?: Counter };

const nameOf = (counter: TopicCounter, topic: string | null): string =>
  `kafka.server:type=BrokerTopicMetrics,name=${counters[counter]}${topic === null ? '' : `,topic=${topic}`}`;

/** Rates of produce and fetch, for the broker and by topic. A topic's counters appear when they first count. */
export class TopicMetrics {
  readonly #metrics: Metrics;
  readonly #all: TopicCounters;
  readonly #byTopic = new Map<string, { [K in TopicCounter]?: Counter }>();

  constructor(metrics: Metrics) {
    this.#metrics = metrics;
    const names = Object.keys(counters) as TopicCounter[];
    this.#all = Object.fromEntries(names.map((counter) => [counter, metrics.counter(nameOf(counter, null))]));
  }

  count(counter: TopicCounter, topic: string, count = 1): void {
    this.#all[counter]?.add(count);
    let own = this.#byTopic.get(topic);
    if (own === undefined) this.#byTopic.set(topic, (own = {}));
    (own[counter] ??= this.#metrics.counter(nameOf(counter, topic))).add(count);
  }

  /** The last replica of a topic has left this broker. */
  forget(topic: string): void {
    const own = this.#byTopic.get(topic);
    if (own === undefined) return;
    this.#byTopic.delete(topic);
    for (const counter of Object.keys(own) as TopicCounter[]) this.#metrics.removeCounter(nameOf(counter, topic));
  }
}
