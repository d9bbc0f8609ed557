import { PersistentMap } from '../../base/persistent-map.ts';
import type { MetadataRecord, MetadataRecordValues } from '../metadata-record.ts';
import { metadataRecord } from '../metadata-record.ts';

/** Whom a quota is for: user, client-id and ip, each with a name or null for the default. */
export type QuotaEntity = ReadonlyMap<string, string | null>;

export interface EntityQuotas {
  readonly entity: QuotaEntity;
  /** Quota name (producer_byte_rate …) → value. */
  readonly quotas: ReadonlyMap<string, number>;
}

export interface ClientQuotasImage {
  /** By `quotaEntityKey`. */
  readonly entities: PersistentMap<string, EntityQuotas>;
}

export const EMPTY_CLIENT_QUOTAS: ClientQuotasImage = { entities: PersistentMap.ofStrings() };

/** One text for an entity whatever the order of its parts. */
export function quotaEntityKey(entity: QuotaEntity): string {
  return JSON.stringify([...entity].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** What changed in the quotas. */
export class ClientQuotasDelta {
  /** By `quotaEntityKey`: quota name → new value, null where it was taken away. */
  readonly changes = new Map<string, { readonly entity: QuotaEntity; readonly quotas: Map<string, number | null> }>();
  readonly #image: ClientQuotasImage;

  constructor(image: ClientQuotasImage) {
    this.#image = image;
  }

  replayClientQuota(record: MetadataRecordValues['ClientQuotaRecord']): void {
    const entity = new Map(record.entity.map(({ entityType, entityName }) => [entityType, entityName]));
    this.#change(entity).set(record.key, record.remove ? null : record.value);
  }

  finishSnapshot(): void {
    for (const { entity, quotas } of this.#image.entities.values()) {
      const change = this.#change(entity);
      for (const name of quotas.keys()) if (!change.has(name)) change.set(name, null);
    }
  }

  apply(): ClientQuotasImage {
    let { entities } = this.#image;
    for (const [key, change] of this.changes) {
      const quotas = new Map(entities.get(key)?.quotas);
      for (const [name, value] of change.quotas) {
        if (value === null) quotas.delete(name);
        else quotas.set(name, value);
      }
      entities = quotas.size === 0 ? entities.delete(key) : entities.set(key, { entity: change.entity, quotas });
    }
    return { entities };
  }

  #change(entity: QuotaEntity): Map<string, number | null> {
    const key = quotaEntityKey(entity);
    let change = this.changes.get(key);
    if (change === undefined) this.changes.set(key, (change = { entity, quotas: new Map() }));
    return change.quotas;
  }
}

export function* clientQuotaRecords(image: ClientQuotasImage): Generator<MetadataRecord> {
  for (const { entity, quotas } of image.entities.values()) {
    const parts = [...entity].map(([entityType, entityName]) => ({ entityType, entityName }));
    for (const [key, value] of quotas) {
      yield metadataRecord('ClientQuotaRecord', 0, { entity: parts, key, value, remove: false });
    }
  }
}
