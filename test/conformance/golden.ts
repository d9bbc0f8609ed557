import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

const read = (name: string): string =>
  gunzipSync(readFileSync(new URL(`../golden/wire/${name}.gz`, import.meta.url))).toString('utf8');

/** One strange input and what Apache Kafka 4.4.0 did with it. `sentHex` includes lengths. */
export interface BadInput {
  readonly case: string;
  readonly sentHex: string;
  readonly outcome: 'answered' | 'closed' | 'silent' | 'connection gone';
  readonly answerHex?: string;
  readonly connectionUsableAfter?: boolean;
}

export interface ApiVersionsFacts {
  readonly apis: Readonly<Record<string, { readonly name: string; readonly min: number; readonly max: number }>>;
  readonly outOfRange: Readonly<Record<string, Readonly<Record<string, string | boolean>>>>;
  readonly badInput: readonly BadInput[];
}

export type ListenerKind = 'broker' | 'controller';

/** What was asked of the listener of a broker, or of a controller. */
export const apiVersionsFacts = (kind: ListenerKind = 'broker'): ApiVersionsFacts =>
  JSON.parse(read(kind === 'broker' ? 'api-versions.json' : 'api-versions-controller.json')) as ApiVersionsFacts;

export interface DefaultExchange {
  readonly requestHex: string;
  readonly outcome: 'answered' | 'closed' | 'silent';
  readonly answerHex?: string;
}

/** By listener, `KEY Name` and `vN`: a request of all defaults and its answer. Hex without lengths. */
export type DefaultExchanges = Readonly<
  Record<ListenerKind, Readonly<Record<string, Readonly<Record<string, DefaultExchange>>>>>
>;

export const defaultExchanges = (): DefaultExchanges => JSON.parse(read('default-requests.json')) as DefaultExchanges;

/** One line of a recorded odd request. `x`: the broker closed; `-`: it waited for more. Hex without lengths; `raw` has everything. */
export interface OddLine {
  readonly c: number;
  readonly name: string;
  readonly dir: '>' | '<' | 'x' | '-';
  readonly apiKey?: number;
  readonly version?: number;
  readonly hex?: string;
  readonly raw?: string;
}

export const oddLines = (): OddLine[] =>
  read('odd-requests.jsonl')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as OddLine);
