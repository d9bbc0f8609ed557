/** One thing that was done to a broker, and what came of it. */
export type Step =
  | { readonly do: 'topic'; readonly name: string; readonly partitions: number; readonly id: string }
  | { readonly do: 'grow'; readonly name: string; readonly partitions: number }
  | { readonly do: 'delete'; readonly name: string }
  | { readonly do: 'configure'; readonly group: string; readonly configs: Readonly<Record<string, string>> }
  | { readonly do: 'wait'; readonly ms: number }
  | AskStep
  | SendStep
  | ReceiveStep;

interface Request {
  readonly key: number;
  readonly version: number;
  /** Each connection has one request after the other. */
  readonly as: string;
  readonly request: unknown;
}

export type AskStep = Request & { readonly do: 'ask'; readonly answer: unknown };
/** A request whose answer comes with the next `receive` on the connection. */
export type SendStep = Request & { readonly do: 'send' };
export type ReceiveStep = { readonly do: 'receive'; readonly as: string; readonly key: number; readonly answer: unknown };

/** What was said to Apache Kafka 4.4.0 and what it answered. */
export interface Conversation {
  readonly title: string;
  readonly properties: Readonly<Record<string, string>>;
  readonly steps: readonly Step[];
  /** What it wrote about groups meanwhile. */
  readonly records: readonly unknown[];
}

/** As JSON can hold it: bytes as { base64 }, hashes as text. */
export const plain = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (_key, field: unknown) => {
      if (typeof field === 'bigint') return `${field}n`;
      const bytes = field as { readonly type?: unknown; readonly data?: unknown } | null;
      if (bytes !== null && typeof bytes === 'object' && bytes.type === 'Buffer')
        return { base64: Buffer.from(bytes.data as number[]).toString('base64') };
      return field;
    }),
  );

/** The other way round, as far as requests need it. */
export function unplain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((element) => unplain(element));
  if (value === null || typeof value !== 'object') return value;
  const { base64 } = value as { readonly base64?: unknown };
  if (typeof base64 === 'string') return Buffer.from(base64, 'base64');
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, unplain(field)]));
}
