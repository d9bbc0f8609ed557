import { assert } from '../base/assert.ts';
import type { Clock, Millis, Timer } from '../base/clock.ts';
import type { Endpoint, Network, Socket, SocketHandler, TlsOptions } from '../base/network.ts';
import { TimerQueue } from '../base/timer-queue.ts';
import { KafkaError } from '../protocol/errors.ts';
import { decodeResponse, encodeRequestParts } from '../protocol/header.ts';
import { ProtocolError } from '../protocol/protocol-error.ts';
import type { Api, RequestInput, ResponseOf } from '../protocol/schema.ts';
import { FrameSplitter } from './frame.ts';

export interface RequestSenderOptions {
  readonly clock: Clock;
  readonly clientId: string | null;
  /** Without an answer for so long the connection is given up: answers come in order, so nothing behind it can come either. */
  readonly requestTimeoutMs: Millis;
  /** A longer answer is taken for garbage. */
  readonly maxResponseBytes?: number;
}

export interface SenderConnectOptions extends RequestSenderOptions {
  readonly network: Network;
  readonly connectTimeoutMs: Millis;
  readonly tls?: TlsOptions;
}

interface InFlight {
  readonly correlationId: number;
  readonly answered: (frame: Buffer) => void;
  readonly failed: (error: Error) => void;
  readonly timer: Timer;
}

const DEFAULT_MAX_RESPONSE_BYTES = 1024 ** 3;
/** Brokers are believed so far: memory for such an answer is there when it begins to come. */
const TRUSTED_RESPONSE_BYTES = 16 * 1024 ** 2;
const CORRELATION_ID_MASK = 0x7fff_ffff;

/**
 * The client's end of a connection: sends requests and gives each its answer. Several may be under way; answers come in order.
 *
 * Failures are KafkaErrors that may be tried again on another connection (NETWORK_EXCEPTION, REQUEST_TIMED_OUT), and afterwards
 * the connection is closed; or a ProtocolError when the answer is not one.
 */
export class RequestSender implements SocketHandler {
  readonly #socket: Socket;
  readonly #options: RequestSenderOptions;
  readonly #splitter: FrameSplitter;
  readonly #timers: TimerQueue;
  /** In the order in which answers come. */
  readonly #inFlight: InFlight[] = [];
  #nextCorrelationId = 0;
  #isClosed = false;
  readonly #closedListeners = new Set<() => void>();

  constructor(socket: Socket, options: RequestSenderOptions) {
    this.#socket = socket;
    this.#options = options;
    this.#splitter = new FrameSplitter(options.maxResponseBytes ?? DEFAULT_MAX_RESPONSE_BYTES, {
      trustedBytes: TRUSTED_RESPONSE_BYTES,
    });
    this.#timers = new TimerQueue(options.clock);
    socket.start(this);
  }

  static async connect(endpoint: Endpoint, options: SenderConnectOptions): Promise<RequestSender> {
    const { network, connectTimeoutMs, tls } = options;
    try {
      const socket = await network.connect(endpoint, { timeoutMs: connectTimeoutMs, ...(tls === undefined ? {} : { tls }) });
      return new RequestSender(socket, options);
    } catch (cause) {
      throw networkFailure(`${endpoint.host}:${endpoint.port} cannot be reached`, cause);
    }
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  get inFlightCount(): number {
    return this.#inFlight.length;
  }

  /** Bytes of requests that the operating system has not taken yet. */
  get pendingBytes(): number {
    return this.#socket.pendingBytes;
  }

  get remote(): Endpoint {
    return this.#socket.remote;
  }

  get local(): Endpoint {
    return this.#socket.local;
  }

  /** Sends a request and gives its answer. Throws ProtocolError at once if the request cannot be written. */
  send<A extends Api>(
    api: A,
    version: number,
    request: RequestInput<A>,
    options: { readonly timeoutMs?: Millis } = {},
  ): Promise<ResponseOf<A>> {
    if (this.#isClosed) return Promise.reject(networkFailure('the connection is closed'));
    const correlationId = this.#takeCorrelationId();
    const parts = encodeRequestParts(api, version, { correlationId, clientId: this.#options.clientId }, request);
    return new Promise((resolve, reject) => {
      this.#inFlight.push({
        correlationId,
        answered: (frame) => resolve(decodeResponse(api, version, frame).response),
        failed: reject,
        timer: this.#timers.schedule(options.timeoutMs ?? this.#options.requestTimeoutMs, () => this.#timedOut(api.name)),
      });
      this.#socket.write(parts);
    });
  }

  /** Sends a request that gets no answer (Produce with acks=0). */
  sendUnanswered<A extends Api>(api: A, version: number, request: RequestInput<A>): void {
    if (this.#isClosed) throw networkFailure('the connection is closed');
    const header = { correlationId: this.#takeCorrelationId(), clientId: this.#options.clientId };
    this.#socket.write(encodeRequestParts(api, version, header, request));
  }

  /** Fails what is under way. */
  close(): void {
    this.#fail(networkFailure('the connection was closed'));
  }

  /** Sends what is pending and then ends the connection; answers that are still due are not waited for. */
  end(): void {
    if (this.#isClosed) return;
    this.#socket.end();
    this.#fail(networkFailure('the connection was ended'), { isDestroying: false });
  }

  onClosed(callback: () => void): () => void {
    if (this.#isClosed) {
      callback();
      return () => undefined;
    }
    this.#closedListeners.add(callback);
    return () => void this.#closedListeners.delete(callback);
  }

  data(chunk: Uint8Array): void {
    if (this.#isClosed) return;
    this.#splitter.push(chunk);
    try {
      for (let frame = this.#splitter.next(); frame !== null && !this.#isClosed; frame = this.#splitter.next()) {
        this.#answer(frame);
      }
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      this.#fail(error);
    }
  }

  ended(): void {
    this.#fail(networkFailure('the peer ended the connection'));
  }

  drained(): void {
    // Nothing waits for room here: callers bound what they send by what is unanswered.
  }

  closed(error: Error | null): void {
    this.#fail(networkFailure(error?.message ?? 'the connection is closed', error));
  }

  #answer(frame: Buffer): void {
    const first = this.#inFlight.shift();
    if (first === undefined) throw new ProtocolError('An answer came that nobody waits for');
    first.timer.cancel();
    try {
      if (frame.byteLength < 4 || frame.readInt32BE(0) !== first.correlationId) {
        throw new ProtocolError(`The answer to request ${first.correlationId} is not the one that came`);
      }
      first.answered(frame);
    } catch (error) {
      assert(error instanceof ProtocolError, 'decoding fails with ProtocolError only');
      first.failed(error);
      throw error;
    }
  }

  #timedOut(name: string): void {
    this.#fail(new KafkaError('REQUEST_TIMED_OUT', `no answer to ${name} in time`));
  }

  #fail(error: Error, { isDestroying = true } = {}): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#timers.close();
    if (isDestroying) this.#socket.destroy();
    for (const { failed } of this.#inFlight.splice(0)) failed(error);
    for (const callback of this.#closedListeners) callback();
    this.#closedListeners.clear();
  }

  #takeCorrelationId(): number {
    const correlationId = this.#nextCorrelationId;
    this.#nextCorrelationId = (correlationId + 1) & CORRELATION_ID_MASK;
    return correlationId;
  }
}

function networkFailure(message: string, cause?: unknown): KafkaError {
  return new KafkaError('NETWORK_EXCEPTION', message, { cause });
}
