import { alterList, alterOperations, type AlterOperation, listSpec } from '../config/alter-configs.ts';
import type { ConfigResource } from '../config/config-entry.ts';
import { CONFIG_RESOURCE_TYPES, configsOf } from '../metadata/image/configs-image.ts';
import type { MetadataRecord } from '../metadata/metadata-record.ts';
import { metadataRecord } from '../metadata/metadata-record.ts';
import { KafkaError } from '../protocol/errors.ts';
import type { alterConfigs } from '../protocol/messages/33-alter-configs.ts';
import type { incrementalAlterConfigs } from '../protocol/messages/44-incremental-alter-configs.ts';
import type { RequestOf, ResponseInput } from '../protocol/schema.ts';
import type { ControllerResult } from './controller-result.ts';
import { type ControllerView, isElrEnabled } from './controller-view.ts';

type Request = RequestOf<typeof incrementalAlterConfigs>;
type LegacyRequest = RequestOf<typeof alterConfigs>;
type Response = ResponseInput<typeof incrementalAlterConfigs>;
type Result = Response['responses'][number];

export const MIN_INSYNC_REPLICAS = 'min.insync.replicas';

/** What is to be set for one resource: config → text, null to take it away. */
type Changes = ReadonlyMap<string, string | null>;

interface Asked {
  readonly resourceType: number;
  readonly resourceName: string;
}

/** Changes single configs of resources (KIP-339); each resource succeeds or fails by itself. */
export function incrementalAlterConfigsControl(view: ControllerView, request: Request): ControllerResult<Response> {
  return alterEach(view, request, ({ configs }, resource) => {
    const current = configsOf(view.image.configs, resource);
    const changes = new Map<string, string | null>();
    for (const { name, configOperation, value } of configs) {
      const operation = alterOperations[configOperation];
      if (operation === undefined) throw new KafkaError('INVALID_REQUEST', `Unknown operation type ${configOperation}`);
      changes.set(name, altered(resource, { name, operation, value, current: current.get(name) ?? null }));
    }
    return changes;
  });
}

/** Sets all configs of resources: what is not named goes (KIP-133). */
export function alterConfigsControl(view: ControllerView, request: LegacyRequest): ControllerResult<Response> {
  return alterEach(view, request, ({ configs }, resource) => {
    const changes = new Map<string, string | null>();
    for (const name of configsOf(view.image.configs, resource).keys()) changes.set(name, null);
    for (const { name, value } of configs) changes.set(name, value);
    return changes;
  });
}

interface Alteration {
  readonly name: string;
  readonly operation: AlterOperation;
  readonly value: string | null;
  readonly current: string | null;
}

/** Entries are added to and taken from what the resource itself has, or else the default. */
function altered(resource: ConfigResource, { name, operation, value, current }: Alteration): string | null {
  if (operation === 'SET') return value;
  if (operation === 'DELETE') return null;
  const spec = listSpec(resource, name);
  if (spec?.type !== 'LIST') {
    throw new KafkaError('INVALID_CONFIG', `Can't ${operation} to key ${name} because its type is not LIST.`);
  }
  const standing = current ?? (Array.isArray(spec.default) ? spec.default.join(',') : '');
  const entries = splitList(standing).filter((entry) => entry !== '');
  return alterList(entries, splitList(value ?? ''), operation);
}

/** Nothing is one empty entry, empty ones at the end do not count, and spaces belong to an entry. */
function splitList(text: string): string[] {
  const entries = text.split(',');
  while (entries.length > 1 && entries.at(-1) === '') entries.pop();
  return entries;
}

/** Runs the change of each resource, once. */
function alterEach<R extends Asked>(
  view: ControllerView,
  request: { readonly resources: readonly R[]; readonly validateOnly: boolean },
  changesOf: (asked: R, resource: ConfigResource) => Changes,
): ControllerResult<Response> {
  const records: MetadataRecord[] = [];
  const responses: Result[] = [];
  const byResource = Map.groupBy(request.resources, ({ resourceType, resourceName }) => `${resourceType}/${resourceName}`);
  for (const [asked, ...others] of byResource.values()) {
    if (asked === undefined) continue;
    const { resourceType, resourceName } = asked;
    try {
      if (others.length > 0) throw new KafkaError('INVALID_REQUEST', 'Duplicate resource.');
      const resource = resourceOf(view, asked);
      records.push(...checkedRecords(view, resource, changesOf(asked, resource)));
      responses.push({ errorCode: 0, errorMessage: null, resourceType, resourceName });
    } catch (error) {
      if (!(error instanceof KafkaError)) throw error;
      responses.push({ errorCode: error.code, errorMessage: error.message, resourceType, resourceName });
    }
  }
  return { records: request.validateOnly ? [] : records, response: { responses } };
}

function resourceOf({ settings }: ControllerView, { resourceType, resourceName: name }: Asked): ConfigResource {
  for (const [type, id] of Object.entries(CONFIG_RESOURCE_TYPES)) {
    if (id !== resourceType) continue;
    if (type === 'topic' || type === 'broker' || type === 'client-metrics' || type === 'group') return { type, name };
    throw new KafkaError('INVALID_REQUEST', `Unexpected node id. Expected ${settings.nodeId}, but received ${name}`);
  }
  throw new KafkaError('UNSUPPORTED_VERSION', `Unknown resource type ${resourceType}.`);
}

/** The records of the changes, if what comes out is allowed. Throws what is to be told. */
function checkedRecords(view: ControllerView, resource: ConfigResource, changes: Changes): MetadataRecord[] {
  const current = configsOf(view.image.configs, resource);
  const after = new Map(current);
  const records: MetadataRecord[] = [];
  for (const [name, value] of changes) {
    if (value === null) after.delete(name);
    else after.set(name, value);
    // A broker reloads what is set again: a file that a config names may have changed.
    if (value === (current.get(name) ?? null) && resource.type !== 'broker') continue;
    records.push(configRecord(resource, name, value));
  }
  checkMinInsyncReplicas(view, resource, changes);
  view.configs.check(view.image.configs, resource, after);
  checkExistence(view, resource);
  return isElrEnabled(view) ? [...records, ...forgottenElr(resource, records)] : records;
}

function configRecord({ type, name: resourceName }: ConfigResource, name: string, value: string | null): MetadataRecord {
  return metadataRecord('ConfigRecord', 0, { resourceType: CONFIG_RESOURCE_TYPES[type], resourceName, name, value });
}

/** While eligible leader replicas are in use, all brokers have to agree on the minimum of in-sync replicas. */
function checkMinInsyncReplicas(view: ControllerView, { type, name }: ConfigResource, changes: Changes): void {
  const value = changes.get(MIN_INSYNC_REPLICAS);
  if (type !== 'broker' || value === undefined || !isElrEnabled(view)) return;
  if (name !== '') {
    throw new KafkaError('INVALID_CONFIG', 'Broker-level min.insync.replicas cannot be altered while ELR is enabled.');
  }
  if (value === null) {
    throw new KafkaError('INVALID_CONFIG', 'Cluster-level min.insync.replicas cannot be removed while ELR is enabled.');
  }
}

function checkExistence({ image }: ControllerView, { type, name }: ConfigResource): void {
  if (type === 'topic' && !image.topics.byName.has(name)) {
    throw new KafkaError('UNKNOWN_TOPIC_OR_PARTITION', `The topic '${name}' does not exist.`);
  }
  if (type !== 'broker' || name === '') return;
  const { brokers, controllers } = image.cluster;
  if (!brokers.has(Number(name)) && !controllers.has(Number(name))) {
    throw new KafkaError('BROKER_ID_NOT_REGISTERED', `No node with id ${name} found.`);
  }
}

/** Who was eligible under another minimum of in-sync replicas need not be under the new one. */
function forgottenElr({ type, name }: ConfigResource, records: readonly MetadataRecord[]): MetadataRecord[] {
  const isConcerned = records.some((record) => record.type === 'ConfigRecord' && record.value.name === MIN_INSYNC_REPLICAS);
  if (!isConcerned || (type !== 'topic' && type !== 'broker')) return [];
  return [metadataRecord('ClearElrRecord', 0, { topicName: type === 'topic' ? name : '' })];
}
