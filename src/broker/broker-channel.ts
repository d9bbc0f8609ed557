import type { Api, RequestInput, ResponseOf } from '../protocol/schema.ts';

/** The way to a broker of the cluster, this one included, as one broker speaks to another. Rejects with a KafkaError when it could not be asked. */
export interface BrokerChannel {
  send<A extends Api>(brokerId: number, api: A, request: RequestInput<A>, version: number): Promise<ResponseOf<A>>;
}
