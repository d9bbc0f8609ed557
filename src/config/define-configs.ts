import { type ConfigType, type ConfigValue, formatValue, invalidConfig, parseValue } from './config-value.ts';
import { checkValue } from './validation.ts';

export type Importance = 'high' | 'medium' | 'low';

/** Who may change a broker config while the broker runs. Kafka calls these modes read-only, per-broker and cluster-wide. */
export type UpdateMode = 'read-only' | 'per-broker' | 'cluster-wide';

/** One config, as data: whatever parses, checks, describes or documents it reads this. */
export interface ConfigSpec<T extends ConfigValue = ConfigValue> {
  readonly type: ConfigType;
  /** Absent when the config has to be given. */
  readonly default?: T;
  readonly importance: Importance;
  /** What it does, in one line. */
  readonly doc: string;
  /** Only broker configs differ here; topic, group and client metrics configs may always be changed. */
  readonly update?: UpdateMode;
  /** Works, but is not shown by DescribeConfigs. */
  readonly internal?: boolean;
  readonly min?: number;
  readonly max?: number;
  /** The only values allowed; for a list, the only entries. */
  readonly allowed?: readonly string[];
  readonly ignoreCase?: boolean;
  readonly notEmpty?: boolean;
  /** A list of which entries may repeat or be empty. */
  readonly anyEntries?: boolean;
  /** A rule beyond those above: gives what is wrong, in Kafka's words, or null. */
  validate?(value: T, name: string): string | null;
  /** Topic and group configs: the broker configs that stand in for it, in order of precedence. */
  readonly synonyms?: readonly Synonym[];
}

/** A broker config that stands in for a topic or group config, perhaps in another unit. */
export interface Synonym {
  readonly name: string;
  readonly unit?: 'minutes' | 'hours';
}

type Options<V extends ConfigValue, D> = Omit<ConfigSpec<V>, 'type' | 'default'> & { readonly default?: D };

type ValueOf<V extends ConfigValue, D> = D extends null ? V | null : V;

const typed =
  <V extends ConfigValue>(type: ConfigType) =>
  <const D extends V | null | undefined = undefined>(options: Options<V, D>): ConfigSpec<ValueOf<V, D>> =>
    ({ type, ...options }) as ConfigSpec<ValueOf<V, D>>;

export const int = typed<number>('INT');
export const short = typed<number>('SHORT');
export const long = typed<number>('LONG');
export const double = typed<number>('DOUBLE');
export const boolean = typed<boolean>('BOOLEAN');
export const string = typed<string>('STRING');
export const className = typed<string>('CLASS');
export const password = typed<string>('PASSWORD');
export const list = typed<readonly string[]>('LIST');

/** A string out of a few; the value has the type of their union. */
export const oneOf = <const V extends string>(options: Options<V, V> & { readonly allowed: readonly V[] }): ConfigSpec<V> => ({
  type: 'STRING',
  ...options,
});

/** A list whose entries are out of a few; the entries have the type of their union. */
export const listOf = <const V extends string>(
  options: Omit<ConfigSpec<readonly V[]>, 'type'> & { readonly allowed: readonly V[] },
): ConfigSpec<readonly V[]> => ({ type: 'LIST', ...options });

export type ConfigTable = Readonly<Record<string, ConfigSpec>>;

/** A table of configs of one kind of resource. */
export interface Configs<T = unknown> {
  readonly scope: ConfigScope;
  readonly table: T;
  readonly specs: ReadonlyMap<string, ConfigSpec>;
}

export type ConfigScope = 'broker' | 'topic' | 'group' | 'client-metrics' | 'client-quota' | 'ip-quota';

/** The typed object that a table describes: config name → value. */
export type Values<C> =
  C extends Configs<infer T> ? { readonly [K in keyof T]: T[K] extends ConfigSpec<infer V> ? V : never } : never;

export function defineConfigs<const T extends ConfigTable>(scope: ConfigScope, table: T): Configs<T> {
  return { scope, table, specs: new Map(Object.entries(table)) };
}

/** Reads and checks one text. Throws INVALID_CONFIG with Kafka's words. */
export function parseConfig(name: string, spec: ConfigSpec, text: string): ConfigValue {
  const value = parseValue(name, text, spec.type);
  const wrong = checkValue(name, spec, value);
  if (wrong !== null) throw invalidConfig(wrong);
  return value;
}

/** The default as Kafka writes it, null if it is null or absent. */
export const defaultText = (spec: ConfigSpec): string | null => formatValue(spec.default ?? null, spec.type);
