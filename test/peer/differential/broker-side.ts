import { decodeResponse, encodeRequest } from '../../../src/protocol/header.ts';
import { apiVersions } from '../../../src/protocol/messages/18-api-versions.ts';
import type { Api, RequestInput } from '../../../src/protocol/schema.ts';
import { RawConnection } from '../../conformance/raw-connection.ts';
import type { Values } from './fit.ts';

/** How a request ended. */
export type Outcome =
  | { readonly kind: 'answered'; readonly response: unknown; readonly frame: Buffer }
  /** Not answered, and the connection goes on. */
  | { readonly kind: 'silent' }
  | { readonly kind: 'closed' };

const SETTLED_WITHIN_MS = 15_000;

/** One of the two brokers, asked over one connection that is opened anew when it is closed. */
export class BrokerSide {
  readonly port: number;
  #connection: RawConnection | null = null;
  #correlationId = 100;

  constructor(port: number) {
    this.port = port;
  }

  async ask(api: Api, version: number, request: Values, { isAnswered = true } = {}): Promise<Outcome> {
    this.#connection ??= await RawConnection.open(this.port);
    const correlationId = ++this.#correlationId;
    this.#send(api, version, correlationId, request);
    const probeId = isAnswered ? null : this.#probe();
    const ending = await this.#connection.ending(SETTLED_WITHIN_MS);
    const frame = ending === 'answered' ? await this.#connection.frame() : null;
    if (frame === null) {
      this.close();
      return { kind: ending === 'silent' ? 'silent' : 'closed' };
    }
    if (frame.readInt32BE(0) === probeId) return { kind: 'silent' };
    if (frame.readInt32BE(0) !== correlationId) throw new Error(`an answer to ${frame.readInt32BE(0)}, not to ${correlationId}`);
    const { response } = decodeResponse(api, version, frame);
    if (probeId !== null) await this.#connection.frame(SETTLED_WITHIN_MS);
    return { kind: 'answered', response, frame };
  }

  close(): void {
    this.#connection?.destroy();
    this.#connection = null;
  }

  /** A request after one that may have no answer: its answer, or the close, tells that the first was dealt with. */
  #probe(): number {
    const correlationId = ++this.#correlationId;
    this.#send(apiVersions, 0, correlationId, { clientSoftwareName: 'probe', clientSoftwareVersion: '1' });
    return correlationId;
  }

  #send(api: Api, version: number, correlationId: number, request: Values): void {
    this.#connection?.write(encodeRequest(api, version, { correlationId, clientId: 'probe' }, request as RequestInput<Api>));
  }
}
