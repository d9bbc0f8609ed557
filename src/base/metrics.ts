/** Numbers about the running node, by Kafka's names (for example `kafka.server:type=ReplicaManager,name=PartitionCount`). */
export interface Metrics {
  counter(name: string): Counter;
  /** A value that is asked for when somebody looks. */
  gauge(name: string, read: () => number): void;
  histogram(name: string): Histogram;
  /** Forgets a counter, for what is no more. */
  removeCounter(name: string): void;
}

export interface Counter {
  add(count: number): void;
  readonly value: number;
}

export interface Histogram {
  record(value: number): void;
  readonly count: number;
}
