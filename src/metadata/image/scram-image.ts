import { PersistentMap } from '../../base/persistent-map.ts';
import type { MetadataRecord, MetadataRecordValues } from '../metadata-record.ts';
import { metadataRecord } from '../metadata-record.ts';

/** A user's SCRAM credential. `mechanism`: SCRAM-SHA-256 is 1, SCRAM-SHA-512 is 2. */
export type ScramCredential = MetadataRecordValues['UserScramCredentialRecord'];

export interface ScramImage {
  /** By `scramKey`. */
  readonly credentials: PersistentMap<string, ScramCredential>;
}

export const EMPTY_SCRAM: ScramImage = { credentials: PersistentMap.ofStrings() };

const scramKey = (mechanism: number, user: string): string => `${mechanism}/${user}`;

export function scramCredentialOf(image: ScramImage, mechanism: number, user: string): ScramCredential | undefined {
  return image.credentials.get(scramKey(mechanism, user));
}

/** What changed in the credentials. */
export class ScramDelta {
  /** By mechanism and user: the new credential, null where it was taken away. */
  readonly changes = new Map<string, ScramCredential | null>();
  readonly #image: ScramImage;

  constructor(image: ScramImage) {
    this.#image = image;
  }

  replayUserScramCredential(record: ScramCredential): void {
    this.changes.set(scramKey(record.mechanism, record.name), record);
  }

  replayRemoveUserScramCredential(record: MetadataRecordValues['RemoveUserScramCredentialRecord']): void {
    this.changes.set(scramKey(record.mechanism, record.name), null);
  }

  finishSnapshot(): void {
    for (const key of this.#image.credentials.keys()) if (!this.changes.has(key)) this.changes.set(key, null);
  }

  apply(): ScramImage {
    let { credentials } = this.#image;
    for (const [key, credential] of this.changes) {
      credentials = credential === null ? credentials.delete(key) : credentials.set(key, credential);
    }
    return { credentials };
  }
}

export function* scramRecords(image: ScramImage): Generator<MetadataRecord> {
  for (const credential of image.credentials.values()) yield metadataRecord('UserScramCredentialRecord', 0, credential);
}
