import { PersistentMap } from '../../base/persistent-map.ts';
import type { MetadataRecord, MetadataRecordValues } from '../metadata-record.ts';
import { metadataRecord } from '../metadata-record.ts';

/** A delegation token without its secret, which every node computes from the id. */
export type DelegationToken = MetadataRecordValues['DelegationTokenRecord'];

export interface DelegationTokensImage {
  /** By token id. */
  readonly tokens: PersistentMap<string, DelegationToken>;
}

export const EMPTY_DELEGATION_TOKENS: DelegationTokensImage = { tokens: PersistentMap.ofStrings() };

/** What changed in the tokens. */
export class DelegationTokensDelta {
  /** By token id: the new token, null where it was taken away. */
  readonly changes = new Map<string, DelegationToken | null>();
  readonly #image: DelegationTokensImage;

  constructor(image: DelegationTokensImage) {
    this.#image = image;
  }

  replayDelegationToken(record: DelegationToken): void {
    this.changes.set(record.tokenId, record);
  }

  replayRemoveDelegationToken(record: MetadataRecordValues['RemoveDelegationTokenRecord']): void {
    this.changes.set(record.tokenId, null);
  }

  finishSnapshot(): void {
    for (const id of this.#image.tokens.keys()) if (!this.changes.has(id)) this.changes.set(id, null);
  }

  apply(): DelegationTokensImage {
    let { tokens } = this.#image;
    for (const [id, token] of this.changes) tokens = token === null ? tokens.delete(id) : tokens.set(id, token);
    return { tokens };
  }
}

export function* delegationTokenRecords(image: DelegationTokensImage): Generator<MetadataRecord> {
  for (const token of image.tokens.values()) yield metadataRecord('DelegationTokenRecord', 0, token);
}
