import type { ConfigStore } from '../config/config-store.ts';
import type { ConfigResource } from '../config/config-entry.ts';
import { CONFIG_RESOURCE_TYPES, configsOf } from '../metadata/image/configs-image.ts';
import type { MetadataDelta } from '../metadata/metadata-delta.ts';
import type { MetadataImage } from '../metadata/metadata-image.ts';
import type { MetadataPublisher } from '../metadata/publisher.ts';

const STORED_TYPES: readonly ConfigResource['type'][] = ['broker', 'topic', 'group', 'client-metrics'];
const typeById = new Map(STORED_TYPES.map((type) => [CONFIG_RESOURCE_TYPES[type], type] as const));

/** Brings what the metadata log says of configs into the store that this node's parts read. */
export class ConfigPublisher implements MetadataPublisher {
  readonly name = 'configs';
  readonly #store: ConfigStore;
  readonly #changed: (resource: ConfigResource) => void;

  /** `changed` is told of each resource after the store has its new configs. */
  constructor(store: ConfigStore, changed: (resource: ConfigResource) => void) {
    this.#store = store;
    this.#changed = changed;
  }

  metadataChanged(delta: MetadataDelta, image: MetadataImage): void {
    for (const { resourceType, resourceName } of delta.configs?.changes.values() ?? []) {
      const type = typeById.get(resourceType as (typeof CONFIG_RESOURCE_TYPES)[ConfigResource['type']]);
      if (type === undefined) continue;
      const resource = { type, name: resourceName };
      this.#store.replace(resource, configsOf(image.configs, resource));
      this.#changed(resource);
    }
  }
}
