import type { ConfigType } from './config-value.ts';

/** What configs may be set for. The empty broker name stands for all brokers of the cluster. */
export interface ConfigResource {
  readonly type: 'broker' | 'topic' | 'group' | 'client-metrics';
  readonly name: string;
}

/** The layer a value comes from, by Kafka's names. */
export type ConfigSource = keyof typeof configSourceIds;

/** Numbers of the sources in DescribeConfigs. */
export const configSourceIds = {
  UNKNOWN: 0,
  DYNAMIC_TOPIC_CONFIG: 1,
  DYNAMIC_BROKER_CONFIG: 2,
  DYNAMIC_DEFAULT_BROKER_CONFIG: 3,
  STATIC_BROKER_CONFIG: 4,
  DEFAULT_CONFIG: 5,
  DYNAMIC_BROKER_LOGGER_CONFIG: 6,
  DYNAMIC_CLIENT_METRICS_CONFIG: 7,
  DYNAMIC_GROUP_CONFIG: 8,
} as const;

/** Numbers of the types in DescribeConfigs. */
export const configTypeIds: Readonly<Record<ConfigType | 'UNKNOWN', number>> = {
  UNKNOWN: 0,
  BOOLEAN: 1,
  STRING: 2,
  INT: 3,
  SHORT: 4,
  LONG: 5,
  DOUBLE: 6,
  LIST: 7,
  CLASS: 8,
  PASSWORD: 9,
};

/** Numbers of the resources in DescribeConfigs and the Alter APIs. */
export const configResourceIds = { topic: 2, broker: 4, 'broker-logger': 8, 'client-metrics': 16, group: 32 } as const;

/** A value that a config has in one layer. Sensitive values are null. */
export interface ConfigSynonym {
  readonly name: string;
  readonly value: string | null;
  readonly source: ConfigSource;
}

/** One config as DescribeConfigs tells it. */
export interface ConfigEntry {
  readonly name: string;
  readonly value: string | null;
  readonly source: ConfigSource;
  readonly readOnly: boolean;
  readonly sensitive: boolean;
  readonly type: ConfigType | 'UNKNOWN';
  readonly documentation: string | null;
  /** Where the value could come from, the strongest first. */
  readonly synonyms: readonly ConfigSynonym[];
}
