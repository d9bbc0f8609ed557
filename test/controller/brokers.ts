import { SUPPORTED_FEATURES } from '../../src/metadata/supported-features.ts';
import { decode, encode } from '../../src/protocol/codec.ts';
import { brokerHeartbeat } from '../../src/protocol/messages/63-broker-heartbeat.ts';
import { brokerRegistration } from '../../src/protocol/messages/62-broker-registration.ts';
import type { Api, RequestInput, RequestOf, ResponseOf } from '../../src/protocol/schema.ts';
import { directory, incarnation } from './scenario/step.ts';
import { CLUSTER_ID, type TestController } from './test-controller.ts';

/** Sends a request at the API's newest version and runs the simulation until its answer is there. */
export function ask<A extends Api>(subject: TestController, api: A, input: RequestInput<A>): Promise<ResponseOf<A>> {
  return subject.resolve(send(subject, api, input));
}

/** Sends it and lets it be. */
export function send<A extends Api>(subject: TestController, api: A, input: RequestInput<A>): Promise<ResponseOf<A>> {
  const version = api.maxVersion;
  const request = decode(api.request, version, encode(api.request, version, input)) as RequestOf<A>;
  return subject.channel.send(api, request, { version });
}

/** What a broker says to the controller. */
export class TestBroker {
  readonly id: number;
  readonly #subject: () => TestController;
  #incarnation: number;
  epoch = -1;

  constructor(subject: () => TestController, id: number) {
    this.#subject = subject;
    this.id = id;
    this.#incarnation = id;
  }

  /** As a new process, with the epoch that the one before left behind if it stopped in order. */
  async register(options: { readonly previousEpoch?: number; readonly rack?: string } = {}): Promise<number> {
    this.#incarnation += 100;
    const response = await ask(this.#subject(), brokerRegistration, {
      brokerId: this.id,
      clusterId: CLUSTER_ID,
      incarnationId: incarnation(this.#incarnation % 1000),
      listeners: [{ name: 'PLAINTEXT', host: 'localhost', port: 9000 + this.id, securityProtocol: 0 }],
      features: [...SUPPORTED_FEATURES].map(([name, { min, max }]) => ({
        name,
        minSupportedVersion: min,
        maxSupportedVersion: max,
      })),
      rack: options.rack ?? null,
      logDirs: [directory(this.id)],
      previousBrokerEpoch: options.previousEpoch ?? -1,
    });
    if (response.errorCode === 0) this.epoch = response.brokerEpoch;
    return response.errorCode;
  }

  heartbeat(
    options: { readonly wantFence?: boolean; readonly wantShutDown?: boolean } = {},
  ): Promise<ResponseOf<typeof brokerHeartbeat>> {
    return ask(this.#subject(), brokerHeartbeat, {
      brokerId: this.id,
      brokerEpoch: this.epoch,
      currentMetadataOffset: 1_000_000,
      wantFence: options.wantFence ?? false,
      wantShutDown: options.wantShutDown ?? false,
    });
  }
}
