/** A request and when it was made and answered, counted in changes of the disk. Infinity: it was not answered, or not with success. */
export interface Call {
  readonly invokedAt: number;
  answeredAt: number;
}

/** A Produce of one batch. */
export interface ProduceCall extends Call {
  readonly topic: string;
  readonly topicId: string;
  readonly partition: number;
  readonly acks: number;
  readonly producerId: number;
  readonly baseSequence: number;
  readonly values: readonly string[];
  /** −1 while it is not known. */
  baseOffset: number;
}

export interface TrimCall extends Call {
  readonly topicId: string;
  readonly partition: number;
  readonly offset: number;
}

/** A record that a consumer was given. */
export interface Sighting {
  readonly at: number;
  readonly topicId: string;
  readonly partition: number;
  readonly offset: number;
  readonly value: string;
}

/** What a topic was last said to be; null: it does not exist. */
export interface TopicState {
  /** Null while only the broker knows it. */
  readonly id: string | null;
  readonly partitions: number;
}

/** One change of something that has one value at a time. Changes of one thing do not overlap. */
export interface Change<T> extends Call {
  value: T;
}

/** What may be true of something after a crash, and the least that must. */
export interface Allowed<T> {
  readonly promised: T;
  /** The values of the change that was under way, if there was one. */
  readonly possible: readonly T[];
}

/** Something that has one value at a time, and its changes in order. */
export class Register<T> {
  readonly #initial: T;
  readonly #changes: Change<T>[] = [];

  constructor(initial: T) {
    this.#initial = initial;
  }

  begin(value: T, at: number): Change<T> {
    const change: Change<T> = { invokedAt: at, answeredAt: Infinity, value };
    this.#changes.push(change);
    return change;
  }

  /** What a node may say that starts after a crash just before change `at` of the disk. */
  after(at: number): Allowed<T> {
    let promised = this.#initial;
    let possible: T[] = [];
    for (const change of this.#changes) {
      if (change.answeredAt <= at) {
        promised = change.value;
        possible = [];
      } else if (change.invokedAt < at) {
        possible.push(change.value);
      }
    }
    return { promised, possible };
  }
}

/** Everything that clients asked for and were told, in the order of the disk's changes. */
export class History {
  readonly produced: ProduceCall[] = [];
  readonly trims: TrimCall[] = [];
  readonly sightings: Sighting[] = [];
  readonly topics = new Map<string, Register<TopicState | null>>();
  /** By topic and config. */
  readonly configs = new Map<string, Register<string | null>>();
  readonly producerIds: { readonly at: number; readonly id: number }[] = [];
  /** When a stop in order was done: everything before is durable. */
  readonly stops: number[] = [];
  readonly #now: () => number;

  /** `now` counts the changes of the disk. */
  constructor(now: () => number) {
    this.#now = now;
  }

  get now(): number {
    return this.#now();
  }

  topic(name: string): Register<TopicState | null> {
    return entryOf(this.topics, name, () => new Register<TopicState | null>(null));
  }

  config(topic: string, key: string): Register<string | null> {
    return entryOf(this.configs, `${topic}/${key}`, () => new Register<string | null>(null));
  }
}

function entryOf<T>(map: Map<string, T>, key: string, make: () => T): T {
  let entry = map.get(key);
  if (entry === undefined) map.set(key, (entry = make()));
  return entry;
}
