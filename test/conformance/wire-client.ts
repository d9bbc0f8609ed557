import { decodeResponse, encodeRequest } from '../../src/protocol/header.ts';
import type { Api, RequestInput, ResponseOf } from '../../src/protocol/schema.ts';
import { RawConnection } from './raw-connection.ts';

/** Asks a broker over one connection, one request after the other, at any version. */
export class WireClient {
  readonly #connection: RawConnection;
  #correlationId = 0;

  private constructor(connection: RawConnection) {
    this.#connection = connection;
  }

  static async open(port: number, host?: string): Promise<WireClient> {
    return new WireClient(await RawConnection.open(port, host));
  }

  /** Rejects when the broker closes or does not answer in time. */
  async ask<const A extends Api>(
    api: A,
    version: number,
    request: RequestInput<A>,
    { withinMs = 20_000 }: { readonly withinMs?: number } = {},
  ): Promise<ResponseOf<A>> {
    const correlationId = ++this.#correlationId;
    this.#connection.write(encodeRequest(api, version, { correlationId, clientId: 'probe' }, request));
    const frame = await this.#connection.frame(withinMs);
    if (frame === null) throw new Error(`the broker closed instead of answering ${api.name} v${version}`);
    return decodeResponse(api, version, frame).response;
  }

  close(): void {
    this.#connection.destroy();
  }
}
