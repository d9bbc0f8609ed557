import assert from 'node:assert/strict';
import { test } from 'node:test';
import { javaHashCode, murmur2, partitionOfId, partitionOfKey } from '../../../src/base/bytes/murmur2.ts';
import { readGolden } from '../../golden.ts';

interface KeyVector {
  readonly key: string;
  readonly murmur2: number;
  readonly partitions: Record<string, number>;
}

interface IdVector {
  readonly id: string;
  readonly hashCode: number;
  readonly partition50: number;
  readonly partition4: number;
}

test('a key has the hash and the partition that Kafka gives it', () => {
  const vectors = readGolden('primitives/murmur2.json.gz') as KeyVector[];
  assert.equal(vectors.length, 60);
  for (const vector of vectors) {
    const key = Buffer.from(vector.key, 'base64');
    assert.equal(murmur2(key), vector.murmur2, vector.key);
    for (const [count, partition] of Object.entries(vector.partitions))
      assert.equal(partitionOfKey(key, Number(count)), partition);
  }
});

test('a group or transactional id belongs to the partition that Kafka gives it', () => {
  const vectors = readGolden('primitives/coordinator-partition.json.gz') as IdVector[];
  assert.equal(vectors.length, 30);
  for (const vector of vectors) {
    assert.equal(javaHashCode(vector.id), vector.hashCode, vector.id);
    assert.equal(partitionOfId(vector.id, 50), vector.partition50);
    assert.equal(partitionOfId(vector.id, 4), vector.partition4);
  }
});

test('a share partition belongs to the partition of its joined key', () => {
  for (const vector of readGolden('primitives/share-coordinator-partition.json.gz') as {
    key: string;
    hashCode: number;
    partition50: number;
  }[]) {
    assert.equal(javaHashCode(vector.key), vector.hashCode);
    assert.equal(partitionOfId(vector.key, 50), vector.partition50);
  }
});
