import assert from 'node:assert/strict';
import { test } from 'node:test';
import { metadataVersionFacts, metadataVersionName, metadataVersionNamed } from '../../src/metadata/metadata-version.ts';
import { SUPPORTED_FEATURES } from '../../src/metadata/supported-features.ts';
import { readGolden } from '../golden.ts';

interface Level {
  readonly level: number;
  readonly name: string;
  readonly production: boolean;
  readonly registerBrokerRecordVersion: number;
  readonly partitionRecordVersion: number;
  readonly isScramSupported: boolean;
  readonly isMetadataTransactionSupported: boolean;
  readonly isDelegationTokenSupported: boolean;
  readonly isControllerRegistrationSupported: boolean;
  readonly isControllerUnregistrationSupported: boolean;
  readonly isDirectoryAssignmentSupported: boolean;
  readonly isElrSupported: boolean;
  readonly isCordonedLogDirsSupported: boolean;
  readonly isLeaderEpochBumpRequiredOnIsrShrink: boolean;
  readonly fetchRequestVersion: number;
}

interface Features {
  readonly 'metadata.version': { readonly levels: readonly Level[] };
  readonly features: Readonly<Record<string, { readonly range: { readonly supported: readonly [number, number] } }>>;
}

const { 'metadata.version': metadataVersion, features } = readGolden('features.json.gz') as Features;
const levels = metadataVersion.levels.filter(({ production }) => production);

test('each metadata version allows what it allows in Apache Kafka', () => {
  assert.ok(levels.length > 20);
  for (const level of levels) {
    const facts = metadataVersionFacts(level.level);
    for (const name of Object.keys(facts) as (keyof typeof facts)[]) {
      assert.equal(facts[name], level[name], `${name} at ${level.name}`);
    }
  }
});

test('metadata versions are known by name, by release and by number', () => {
  for (const { level, name } of levels) {
    assert.equal(metadataVersionName(level), name);
    assert.equal(metadataVersionNamed(name), level);
    assert.equal(metadataVersionNamed(String(level)), level);
  }
  assert.equal(metadataVersionNamed('4.1'), 27);
  assert.equal(metadataVersionNamed('4.4'), 33);
  assert.equal(metadataVersionNamed('9.9'), null);
  assert.equal(metadataVersionNamed('99'), null);
});

test('a node announces the feature ranges that Apache Kafka announces', () => {
  for (const [name, { range }] of Object.entries(features)) {
    assert.deepEqual(SUPPORTED_FEATURES.get(name), { min: range.supported[0], max: range.supported[1] }, name);
  }
  assert.equal(SUPPORTED_FEATURES.size, Object.keys(features).length + 1);
  assert.deepEqual(SUPPORTED_FEATURES.get('metadata.version'), { min: levels[0]?.level, max: levels.at(-1)?.level });
});
