import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ZERO_UUID } from '../../src/base/uuid.ts';
import { apis } from '../../src/protocol/messages/index.ts';
import { type Field, type Fields, type Message, NO_LIMIT } from '../../src/protocol/schema.ts';
import { includesVersion, type Versions } from '../../src/protocol/versions.ts';
import { readGolden } from '../golden.ts';
import { allSchemas, schemaNamed, versionsOf } from './all-schemas.ts';

interface FieldFact {
  readonly name: string;
  readonly type: string;
  readonly versions?: Versions;
  readonly nullableVersions?: Versions;
  readonly taggedVersions?: Versions;
  readonly flexibleVersions?: 'none';
  readonly tag?: number;
  readonly default?: string;
  readonly ignorable?: boolean | string;
  readonly mapKey?: boolean;
  readonly fields?: readonly FieldFact[];
}

interface SchemaFact {
  readonly name: string;
  readonly apiKey?: number;
  readonly validVersions: Versions | 'none';
  readonly flexibleVersions?: Versions | 'none';
  readonly fields: readonly FieldFact[];
  readonly commonStructs?: readonly { readonly name: string; readonly fields: readonly FieldFact[] }[];
}

interface ApiFact {
  readonly apiKey: number;
  readonly name: string;
  readonly removed?: boolean;
  readonly lowestVersion: number;
  readonly highestVersion: number;
  readonly highestStableVersion: number;
  readonly listeners: readonly string[];
  readonly clusterAction: boolean;
  readonly forwardable: boolean;
  readonly request: SchemaFact;
  readonly response: SchemaFact;
}

interface MessagesFacts {
  readonly apis: Readonly<Record<string, ApiFact>>;
  readonly headers: Readonly<Record<string, SchemaFact>>;
  readonly data: Readonly<Record<string, SchemaFact>>;
}

const facts = readGolden('messages.json.gz') as MessagesFacts;
const liveApis = Object.values(facts.apis).filter((api) => api.removed !== true);
const recordFacts = ['metadata', 'group', 'transaction', 'share', 'storage', 'raft', 'streams'].flatMap((name) =>
  Object.values(readGolden(`${name}-records.json.gz`) as Readonly<Record<string, SchemaFact>>),
);
const schemaFacts = [
  ...liveApis.flatMap((api) => [api.request, api.response]),
  ...Object.values(facts.headers),
  ...Object.values(facts.data),
  ...recordFacts,
];

/** One field in one version, said the same way of both sides. */
interface Seen {
  readonly name: string;
  readonly type: string;
  readonly nullable: boolean;
  readonly tag: number | null;
  readonly ignorable: boolean;
  readonly mapKey: boolean;
  readonly neverCompact: boolean;
  readonly default: unknown;
  readonly fields: readonly Seen[] | null;
}

const lowerFirst = (name: string) => name.charAt(0).toLowerCase() + name.slice(1);

function factsAt(fields: readonly FieldFact[], version: number, structs: ReadonlyMap<string, readonly FieldFact[]>): Seen[] {
  return fields
    .filter((field) => includesVersion(field.versions ?? field.taggedVersions ?? 'none', version))
    .map((field) => {
      const inner = field.fields ?? structs.get(field.type.replace('[]', ''));
      const isArray = field.type.startsWith('[]');
      const isTagged = field.taggedVersions !== undefined && includesVersion(field.taggedVersions, version);
      return {
        name: lowerFirst(field.name),
        type: inner === undefined ? field.type.replace('bool', 'boolean') : isArray ? '[]struct' : 'struct',
        nullable: field.nullableVersions !== undefined && includesVersion(field.nullableVersions, version),
        tag: isTagged ? (field.tag ?? null) : null,
        ignorable: field.ignorable === true,
        mapKey: field.mapKey === true,
        neverCompact: field.flexibleVersions === 'none',
        default: defaultFact(field),
        fields: inner === undefined ? null : factsAt(inner, version, structs),
      };
    });
}

const EMPTY: Readonly<Record<string, unknown>> = { string: '', uuid: ZERO_UUID, bool: false, boolean: false };

function defaultFact({ type, default: text }: FieldFact): unknown {
  if (text === 'null') return null;
  if (type.startsWith('[]') || type === 'bytes' || type === 'records') return 'empty';
  if (/^[A-Z]/.test(type)) return 'struct';
  if (text === undefined) return type in EMPTY ? EMPTY[type] : 0;
  if (type === 'bool') return text === 'true';
  if (type === 'string') return text;
  return text === '9223372036854775807' ? NO_LIMIT : Number(text);
}

function oursAt(fields: Fields, version: number): Seen[] {
  return Object.entries(fields)
    .filter(([, { options }]) => includesVersion(options.tagged ?? options.versions ?? '0+', version))
    .map(([name, field]) => {
      const { kind, options, element } = field;
      const inner = kind === 'array' ? element?.fields : field.fields;
      return {
        name,
        type: kind === 'array' ? `[]${element?.kind}` : kind === 'hash64' ? 'int64' : kind,
        nullable: options.nullable !== undefined && includesVersion(options.nullable, version),
        tag: options.tagged === undefined ? null : (options.tag ?? null),
        ignorable: options.ignorable === true,
        mapKey: options.mapKey === true,
        neverCompact: options.flexible === 'none',
        default: ourDefault(field),
        fields: inner === undefined ? null : oursAt(inner, version),
      };
    });
}

function ourDefault({ kind, options }: Field): unknown {
  if (options.default === null) return null;
  if (kind === 'array' || kind === 'bytes' || kind === 'records') return 'empty';
  if (kind === 'struct') return 'struct';
  return options.default ?? (kind in EMPTY ? EMPTY[kind] : 0);
}

test('there is a schema of ours for each of the 279 of Apache Kafka 4.4, and no other', () => {
  assert.equal(schemaFacts.length, 279);
  assert.deepEqual([...allSchemas.keys()].sort(), schemaFacts.map((fact) => fact.name).sort());
});

test('each schema has the fields, types, order, tags, nulls and defaults of the facts in every version', () => {
  let versionsCompared = 0;
  for (const fact of schemaFacts) {
    const ours: Message = schemaNamed(fact.name);
    const structs = new Map((fact.commonStructs ?? []).map((struct) => [struct.name, struct.fields]));
    assert.equal(ours.versions, fact.validVersions, fact.name);
    assert.equal(ours.flexible, fact.flexibleVersions ?? 'none', fact.name);
    assert.equal(ours.key, fact.apiKey, fact.name);
    for (const version of versionsOf(ours)) {
      assert.deepEqual(oursAt(ours.fields, version), factsAt(fact.fields, version, structs), `${fact.name} v${version}`);
      versionsCompared++;
    }
  }
  assert.equal(versionsCompared, 755);
});

test('each api has the key, versions, listeners and flags of the facts', () => {
  const unstable = (fact: ApiFact) => (fact.highestStableVersion < fact.highestVersion ? `${fact.highestVersion}` : undefined);
  assert.deepEqual(
    apis.map((api) => ({
      key: api.key,
      name: api.name,
      versions: [api.minVersion, api.maxVersion],
      unstable: api.unstable,
      listeners: api.listeners,
      clusterAction: api.clusterAction ?? false,
      forwardable: api.forwardable ?? false,
    })),
    liveApis.map((fact) => ({
      key: fact.apiKey,
      name: fact.name,
      versions: [fact.lowestVersion, fact.highestVersion],
      unstable: unstable(fact),
      listeners: fact.listeners,
      clusterAction: fact.clusterAction,
      forwardable: fact.forwardable,
    })),
  );
});
