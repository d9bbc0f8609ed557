import type { Api } from '../schema.ts';
import { apiVersions } from './18-api-versions.ts';

/** Every API of the protocol, in order of key. */
export const apis: readonly Api[] = [apiVersions];

const byKey = new Map(apis.map((api) => [api.key, api]));

export const apiByKey = (key: number): Api | undefined => byKey.get(key);
