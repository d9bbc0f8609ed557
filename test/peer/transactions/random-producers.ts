import { SimulatedRandom } from '../../../simulation/simulated-random.ts';
import { initProducerId } from '../../../src/protocol/messages/22-init-producer-id.ts';
import { endTxn } from '../../../src/protocol/messages/26-end-txn.ts';
import type { Values } from '../differential/fit.ts';
import type { Request, Talker } from './conversation.ts';
import * as say from './says.ts';

/** One transactional id, as its client knows it. */
interface Client {
  readonly of: string;
  id: string | number;
  epoch: number;
  readonly sequences: Map<string, number>;
}

const TOPICS = { '#a': 2, '#b': 1, '#c': 1 };
const PLACES: readonly (readonly [topic: string, partition: number])[] = [
  ['#a', 0],
  ['#a', 1],
  ['#b', 0],
  ['#c', 0],
];
const NONE = 0;

/** Speaks for some producers: mostly as their clients would, at all versions, and sometimes not. */
export class RandomProducers implements Talker {
  readonly name: string;
  readonly #random: SimulatedRandom;
  readonly #clients: Client[] = ['#t', '#u', '#v'].map((of) => ({ of, id: -1, epoch: -1, sequences: new Map() }));
  #stepsLeft: number;
  #isFirst = true;
  #asked: { readonly key: number; readonly client: Client } | null = null;

  constructor(seed: number, steps: number) {
    this.name = `seed ${seed}`;
    this.#random = new SimulatedRandom(seed);
    this.#stepsLeft = steps;
  }

  next(): Request | null {
    if (this.#stepsLeft-- === 0) return null;
    if (this.#isFirst) {
      this.#isFirst = false;
      return say.create(TOPICS);
    }
    this.#asked = null;
    const client = this.#random.pick(this.#clients);
    const makers = [
      ...[1, 2].map(() => () => this.#init(client)),
      ...[1, 2, 3].map(() => () => this.#add(client)),
      ...[1, 2, 3, 4, 5, 6, 7, 8].map(() => () => this.#write(client)),
      ...[1, 2, 3, 4].map(() => () => this.#end(client)),
      () => say.addOffsets({ ...this.#of(client), group: '#g', version: this.#version(0, 4) }),
      () => this.#commitOffsets(client),
      () => this.#fetch(),
      () => this.#markers(client),
      () => say.offsetsOf({ '#a': [0, 1], '#b': [0] }, { requireStable: this.#random.oneIn(2) }),
      () => say.list({ stateFilters: [this.#random.pick(['Empty', 'Ongoing', 'CompleteCommit', 'CompleteAbort', 'Never'])] }),
    ];
    return this.#random.pick(makers)();
  }

  heard(answer: unknown): void {
    if (this.#asked === null || typeof answer !== 'object' || answer === null) return;
    const { key, client } = this.#asked;
    const { errorCode, producerId, producerEpoch } = answer as Values;
    if (errorCode !== NONE || typeof producerEpoch !== 'number' || producerEpoch < 0) return;
    if (key !== initProducerId.key && key !== endTxn.key) return;
    if (client.id !== producerId || client.epoch !== producerEpoch) client.sequences.clear();
    client.id = producerId as string | number;
    client.epoch = producerEpoch;
  }

  /** Mostly what the client knows. */
  #of(client: Client): say.Of {
    const { of, id, epoch } = client;
    if (!this.#random.oneIn(6)) return { of, id, epoch };
    const other = this.#random.pick(this.#clients);
    return this.#random.pick<say.Of>([
      { of, id, epoch: epoch + 1 },
      { of, id, epoch: Math.max(epoch - 1, -1) },
      { of, id, epoch: epoch + 5 },
      { of, id: 9_000_000, epoch },
      { of: other.of, id, epoch },
      { of, id: other.id, epoch: other.epoch },
      { of: '#stranger', id, epoch },
    ]);
  }

  #init(client: Client): Request {
    this.#asked = { key: initProducerId.key, client };
    const timeoutMs = this.#random.oneIn(20) ? this.#random.pick([0, -1, 900_001]) : 60_000;
    if (client.epoch < 0 || this.#random.oneIn(3)) return say.init({ of: client.of, timeoutMs, version: this.#version(0, 5) });
    return say.init({ ...this.#of(client), timeoutMs, version: this.#version(3, 5) });
  }

  #add(client: Client): Request {
    const [topic, partition] = this.#random.pick(PLACES);
    const places = this.#random.oneIn(15) ? { [topic]: [partition, 8] } : { [topic]: [partition] };
    if (!this.#random.oneIn(4)) return say.add(places, { ...this.#of(client), version: this.#version(0, 3) });
    const verifyOnly = this.#random.oneIn(2);
    return say.addEach([{ ...this.#of(client), places, verifyOnly }], { version: this.#version(4, 5) });
  }

  #write(client: Client): Request {
    const { of = '', id = -1, epoch = -1 } = this.#of(client);
    const version = this.#random.oneIn(2) ? 12 : this.#version(3, 11);
    const batches = this.#places().map(([topic, partition]) => {
      const place = `${topic}-${partition}`;
      const known = client.sequences.get(place) ?? 0;
      const baseSequence = this.#random.oneIn(8) ? this.#random.integer(4) : known;
      const values = Array.from({ length: 1 + this.#random.integer(2) }, (_, at) => `${of}${epoch}.${baseSequence + at}`);
      client.sequences.set(place, baseSequence + values.length);
      const isTransactional = !this.#random.oneIn(12);
      return { topic, partition, id, epoch, baseSequence, values, isTransactional };
    });
    return say.writeEach(batches, { as: of, version });
  }

  /** One or two, of different topics. */
  #places(): readonly (readonly [topic: string, partition: number])[] {
    const first = this.#random.pick(PLACES);
    const second = this.#random.pick(PLACES);
    return this.#random.oneIn(3) && second[0] !== first[0] ? [first, second] : [first];
  }

  #end(client: Client): Request {
    this.#asked = { key: endTxn.key, client };
    return say.end(this.#random.pick(['commit', 'commit', 'abort']), {
      ...this.#of(client),
      version: this.#random.oneIn(2) ? 5 : this.#version(0, 4),
    });
  }

  #commitOffsets(client: Client): Request {
    const topic = this.#random.pick(['#a', '#b']);
    const offsets = { [topic]: [[0, this.#random.integer(50)]] as const };
    return say.commitOffsets(offsets, { ...this.#of(client), version: this.#version(0, 6) });
  }

  #fetch(): Request {
    const [topic, partition] = this.#random.pick(PLACES);
    return say.read({ topic, partition, isolation: this.#random.integer(2) }, { version: this.#version(4, 12) });
  }

  /** As a coordinator that is mistaken. */
  #markers(client: Client): Request {
    const [topic, partition] = this.#random.pick(PLACES);
    const marker = {
      ...this.#of(client),
      places: { [topic]: [partition] },
      commit: this.#random.oneIn(2),
      coordinatorEpoch: this.#random.pick([0, 0, -1]),
      transactionVersion: this.#random.integer(3),
    };
    return say.markers([marker], { version: this.#version(1, 2) });
  }

  #version(lowest: number, highest: number): number {
    return lowest + this.#random.integer(highest - lowest + 1);
  }
}
