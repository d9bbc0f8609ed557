import { describeConfigs as describeConfigsApi } from '../protocol/messages/32-describe-configs.ts';
import { incrementalAlterConfigs } from '../protocol/messages/44-incremental-alter-configs.ts';
import { throwIfError } from './admin-topics.ts';
import type { Client } from './client.ts';

/** The kinds of things that have settings, by their numbers in the protocol. */
export const resourceTypes = { topic: 2, broker: 4, 'broker-logger': 8, 'client-metrics': 16, group: 32 } as const;
export type ResourceType = keyof typeof resourceTypes;

export interface Resource {
  readonly type: ResourceType;
  /** A broker's is its id; empty for what is cluster-wide. */
  readonly name: string;
}

const sources = [
  'unknown',
  'topic',
  'broker',
  'cluster-wide',
  'static',
  'default',
  'broker-logger',
  'client-metrics',
  'group',
] as const;
export type ConfigSource = (typeof sources)[number];
export const configSourceOf = (id: number): ConfigSource => sources[id] ?? 'unknown';

export interface ConfigEntry {
  readonly name: string;
  /** Null if it is secret or has none. */
  readonly value: string | null;
  readonly source: ConfigSource;
  readonly isReadOnly: boolean;
  readonly isSensitive: boolean;
  readonly synonyms: readonly { readonly name: string; readonly value: string | null; readonly source: ConfigSource }[];
}

/** The settings of each resource in order of asking, as the broker orders them. */
export async function describeConfigs(client: Client, resources: readonly Resource[]): Promise<ConfigEntry[][]> {
  const byNode = Map.groupBy(resources, nodeOf);
  const found = new Map<Resource, ConfigEntry[]>();
  await client.retrying(async () => {
    for (const [node, ofNode] of byNode) {
      const input = {
        resources: ofNode.map(({ type, name }) => ({
          resourceType: resourceTypes[type],
          resourceName: name,
          configurationKeys: null,
        })),
        includeSynonyms: true,
      };
      const answer =
        node === null ? await client.sendToAny(describeConfigsApi, input) : await client.sendTo(node, describeConfigsApi, input);
      for (const [index, result] of answer.results.entries()) {
        throwIfError(result.errorCode, result.errorMessage);
        const resource = ofNode[index];
        if (resource === undefined) continue;
        found.set(
          resource,
          result.configs.map((config) => ({
            name: config.name,
            value: config.value,
            source: configSourceOf(config.configSource),
            isReadOnly: config.readOnly,
            isSensitive: config.isSensitive,
            synonyms: config.synonyms.map(({ name, value, source }) => ({ name, value, source: configSourceOf(source) })),
          })),
        );
      }
    }
  });
  return resources.map((resource) => found.get(resource) ?? []);
}

const operations = { set: 0, delete: 1, append: 2, subtract: 3 } as const;

export interface ConfigChange {
  readonly name: string;
  readonly operation: keyof typeof operations;
  readonly value: string | null;
}

/** Changes single settings of a resource and leaves the others (KIP-339). */
export async function alterConfigs(client: Client, resource: Resource, changes: readonly ConfigChange[]): Promise<void> {
  const node = nodeOf(resource);
  await client.retrying(async () => {
    const input = {
      resources: [
        {
          resourceType: resourceTypes[resource.type],
          resourceName: resource.name,
          configs: changes.map(({ name, operation, value }) => ({ name, configOperation: operations[operation], value })),
        },
      ],
      validateOnly: false,
    };
    const answer =
      node === null
        ? await client.sendToAny(incrementalAlterConfigs, input)
        : await client.sendTo(node, incrementalAlterConfigs, input);
    for (const { errorCode, errorMessage } of answer.responses) throwIfError(errorCode, errorMessage);
  });
}

/** A broker tells and changes its own settings; everything else any broker can. */
const nodeOf = ({ type, name }: Resource): number | null =>
  (type === 'broker' || type === 'broker-logger') && name !== '' ? Number(name) : null;
