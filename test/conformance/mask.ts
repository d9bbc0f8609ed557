import { decodeRequestHeader, decodeResponse } from '../../src/protocol/header.ts';
import { apiByKey } from '../../src/protocol/messages/index.ts';

/** What may differ between two clusters that behave alike: ids that each makes for itself, addresses, times, sizes of disks. */
const accidents = new Set([
  'clusterId',
  'host',
  'port',
  'topicId',
  'directoryId',
  'replicaDirectoryId',
  'producerId',
  'finalizedFeaturesEpoch',
  'highWatermarkTimestamp',
  'lastFetchTimestamp',
  'lastCaughtUpTimestamp',
  'logEndOffset',
  'logDir',
  'totalBytes',
  'usableBytes',
  'brokerEpoch',
  'sessionId',
  'rack',
]);

/** Which API keys a node advertises; the others are left out of both ApiVersions answers before they are compared. */
export interface MaskOptions {
  readonly advertised: ReadonlySet<number>;
}

interface ApiVersionsLike {
  apiKeys: { apiKey: number }[];
  supportedFeatures?: { name: string }[];
  finalizedFeatures?: { name: string }[];
}

/** A response frame as a value in which accidents are replaced by a dot, to compare with another one. */
export function maskedAnswer(request: Buffer, answer: Buffer, options: MaskOptions): unknown {
  const { apiKey, apiVersion, correlationId } = decodeRequestHeader(request);
  const api = apiByKey(apiKey);
  if (api === undefined) throw new Error(`no API ${apiKey}`);
  const isKnownVersion = apiKey !== 18 || (apiVersion >= 0 && apiVersion <= 5);
  const decoded = decodeResponse(api, isKnownVersion ? apiVersion : 0, answer);
  const body: unknown = decoded.response;
  if (apiKey === 18) sortApiVersions(body as ApiVersionsLike, options);
  if (apiKey === 3) withoutInternalTopics(body as MetadataLike);
  return { correlationId, answered: decoded.correlationId, body: withoutAccidents(body) };
}

interface MetadataLike {
  topics: { name: string }[];
}

/** The recorded cluster had made them for its groups by then. */
function withoutInternalTopics(body: MetadataLike): void {
  body.topics = body.topics.filter(({ name }) => !name.startsWith('__'));
}

function sortApiVersions(body: ApiVersionsLike, { advertised }: MaskOptions): void {
  body.apiKeys = body.apiKeys.filter(({ apiKey }) => advertised.has(apiKey));
  const byName = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1);
  body.supportedFeatures?.sort(byName);
  body.finalizedFeatures?.sort(byName);
}

function withoutAccidents(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutAccidents);
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [name, accidents.has(name) && field !== null ? '.' : withoutAccidents(field)]),
  );
}
