import { PersistentMap } from '../../base/persistent-map.ts';
import type { MetadataRecord, MetadataRecordValues } from '../metadata-record.ts';
import { metadataRecord } from '../metadata-record.ts';

/** One access control entry, in the wire's numbers. */
export type AclEntry = MetadataRecordValues['AccessControlEntryRecord'];

export interface AclsImage {
  /** By id. */
  readonly entries: PersistentMap<string, AclEntry>;
}

export const EMPTY_ACLS: AclsImage = { entries: PersistentMap.ofStrings() };

/** What changed in the access control entries. */
export class AclsDelta {
  /** By id: the new entry, null where it was taken away. */
  readonly changes = new Map<string, AclEntry | null>();
  readonly #image: AclsImage;

  constructor(image: AclsImage) {
    this.#image = image;
  }

  replayAccessControlEntry(record: AclEntry): void {
    this.changes.set(record.id, record);
  }

  replayRemoveAccessControlEntry(record: MetadataRecordValues['RemoveAccessControlEntryRecord']): void {
    this.changes.set(record.id, null);
  }

  finishSnapshot(): void {
    for (const id of this.#image.entries.keys()) if (!this.changes.has(id)) this.changes.set(id, null);
  }

  apply(): AclsImage {
    let { entries } = this.#image;
    for (const [id, entry] of this.changes) entries = entry === null ? entries.delete(id) : entries.set(id, entry);
    return { entries };
  }
}

export function* aclRecords(image: AclsImage): Generator<MetadataRecord> {
  for (const entry of image.entries.values()) yield metadataRecord('AccessControlEntryRecord', 0, entry);
}
