import { PersistentMap } from '../../base/persistent-map.ts';
import type { MetadataRecord, MetadataRecordValues } from '../metadata-record.ts';
import { metadataRecord } from '../metadata-record.ts';

/** What can have configs, by the wire's ids. */
export const CONFIG_RESOURCE_TYPES = { topic: 2, broker: 4, 'broker-logger': 8, 'client-metrics': 16, group: 32 } as const;

export type ConfigResourceType = keyof typeof CONFIG_RESOURCE_TYPES;

/** A thing with configs. A broker is named by its id in decimal; '' is the default of all brokers. */
export interface ConfigResource {
  readonly type: ConfigResourceType;
  readonly name: string;
}

export interface ResourceConfigs {
  readonly resourceType: number;
  readonly resourceName: string;
  readonly values: ReadonlyMap<string, string>;
}

/** Dynamic configs, resource by resource. Resources without any are absent. */
export interface ConfigsImage {
  /** By `configKey`. */
  readonly resources: PersistentMap<string, ResourceConfigs>;
}

export const EMPTY_CONFIGS: ConfigsImage = { resources: PersistentMap.ofStrings() };

const NO_VALUES: ReadonlyMap<string, string> = new Map();

export const configKey = (resourceType: number, resourceName: string): string => `${resourceType}/${resourceName}`;

/** The dynamic configs of a resource itself: no defaults, no synonyms. */
export function configsOf(image: ConfigsImage, resource: ConfigResource): ReadonlyMap<string, string> {
  return image.resources.get(configKey(CONFIG_RESOURCE_TYPES[resource.type], resource.name))?.values ?? NO_VALUES;
}

/** What changed in the configs. */
export class ConfigsDelta {
  /** By `configKey`: config name → new value, null where it was taken away. */
  readonly changes = new Map<string, ResourceConfigsDelta>();
  readonly #image: ConfigsImage;

  constructor(image: ConfigsImage) {
    this.#image = image;
  }

  replayConfig(record: MetadataRecordValues['ConfigRecord']): void {
    this.#change(record.resourceType, record.resourceName).values.set(record.name, record.value);
  }

  replayRemoveTopic(topicName: string): void {
    const type = CONFIG_RESOURCE_TYPES.topic;
    const change = this.changes.get(configKey(type, topicName));
    if (change !== undefined) for (const name of change.values.keys()) change.values.set(name, null);
    const before = this.#image.resources.get(configKey(type, topicName));
    if (before !== undefined) for (const name of before.values.keys()) this.#change(type, topicName).values.set(name, null);
  }

  finishSnapshot(): void {
    for (const { resourceType, resourceName, values } of this.#image.resources.values()) {
      for (const name of values.keys()) {
        const change = this.#change(resourceType, resourceName).values;
        if (!change.has(name)) change.set(name, null);
      }
    }
  }

  apply(): ConfigsImage {
    let { resources } = this.#image;
    for (const [key, change] of this.changes) {
      const values = new Map(resources.get(key)?.values);
      for (const [name, value] of change.values) {
        if (value === null) values.delete(name);
        else values.set(name, value);
      }
      const { resourceType, resourceName } = change;
      resources = values.size === 0 ? resources.delete(key) : resources.set(key, { resourceType, resourceName, values });
    }
    return { resources };
  }

  #change(resourceType: number, resourceName: string): ResourceConfigsDelta {
    const key = configKey(resourceType, resourceName);
    let change = this.changes.get(key);
    if (change === undefined) this.changes.set(key, (change = { resourceType, resourceName, values: new Map() }));
    return change;
  }
}

export interface ResourceConfigsDelta {
  readonly resourceType: number;
  readonly resourceName: string;
  readonly values: Map<string, string | null>;
}

export function* configRecords(image: ConfigsImage): Generator<MetadataRecord> {
  for (const { resourceType, resourceName, values } of image.resources.values()) {
    for (const [name, value] of values) yield metadataRecord('ConfigRecord', 0, { resourceType, resourceName, name, value });
  }
}
