import { apis } from '../../../src/protocol/messages/index.ts';
import type { Api, RequestInput } from '../../../src/protocol/schema.ts';

/** What earlier steps have made known. */
export interface Known {
  readonly clusterId: string;
  topicId(name: string): string;
  /** The epoch that a broker's last registration got. */
  epoch(brokerId: number): number;
}

export interface Step {
  readonly note: string;
  readonly api: Api;
  readonly version: number;
  readonly request: (known: Known) => RequestInput<Api>;
  /** Not a request: time passes until the sessions of all brokers but these have ended. */
  readonly keepAlive?: readonly number[];
}

/** One request of the scenario. */
export const step = <A extends Api>(
  note: string,
  api: A,
  request: RequestInput<A> | ((known: Known) => RequestInput<A>),
  version: number = api.maxVersion,
): Step => ({
  note,
  api,
  version,
  request: typeof request === 'function' ? request : () => request,
});

export const apiNamed = (name: string): Api => {
  const api = apis.find((each) => each.name === name);
  if (api === undefined) throw new Error(`no API ${name}`);
  return api;
};

/** Directory and incarnation ids: any text of the right form. */
export const directory = (number: number): string => `DirDirDirDirDirDir${String(number).padStart(3, '0')}A`;
export const incarnation = (number: number): string => `IncIncIncIncIncInc${String(number).padStart(3, '0')}A`;

/** Lets the sessions of all brokers end except those that are kept alive. */
export const expire = (note: string, keepAlive: readonly number[]): Step => ({
  ...step(`the session ${note}`, apiNamed('BrokerHeartbeat'), {}),
  keepAlive,
});

/** broker.session.timeout.ms of the controller that is asked. */
export const SESSION_TIMEOUT_MS = 5000;
