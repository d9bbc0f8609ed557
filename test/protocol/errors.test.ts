import assert from 'node:assert/strict';
import { test } from 'node:test';
import { errorCodeOf, errorNameOf, errorNames, isRetriable, KafkaError, textOf } from '../../src/protocol/errors.ts';
import { readGolden } from '../golden.ts';

interface GoldenError {
  readonly code: number;
  readonly name: string;
  readonly retriable: boolean;
}

const golden = readGolden('errors.json.gz') as readonly GoldenError[];

test('every error of Kafka 4.4 is in the table with its code and whether it may be retried', () => {
  const ours = errorNames.map((name) => ({ code: new KafkaError(name).code, name, retriable: isRetriable(name) }));
  assert.deepEqual(
    ours,
    golden.map(({ code, name, retriable }) => ({ code, name, retriable })),
  );
});

test('a code reads back as its name, and an unknown code as UNKNOWN_SERVER_ERROR', () => {
  for (const { code, name } of golden) assert.equal(errorNameOf(code), name);
  assert.equal(errorNameOf(9999), 'UNKNOWN_SERVER_ERROR');
});

test('every error but NONE says in words what is wrong', () => {
  for (const name of errorNames) {
    if (name !== 'NONE') assert.match(textOf(name), /^[A-Z].*\.$/);
  }
});

test('a thrown KafkaError gives its code, and anything else gives UNKNOWN_SERVER_ERROR', () => {
  assert.equal(errorCodeOf(new KafkaError('NOT_CONTROLLER')), 41);
  assert.equal(errorCodeOf(new TypeError('a bug')), -1);
  assert.equal(errorCodeOf(undefined), -1);
});

test('a KafkaError carries the text of the table unless it is given a better one', () => {
  assert.equal(new KafkaError('NOT_CONTROLLER').message, textOf('NOT_CONTROLLER'));
  const cause = new Error('disk');
  const error = new KafkaError('KAFKA_STORAGE_ERROR', 'Log directory d is offline.', { cause });
  assert.equal(error.message, 'Log directory d is offline.');
  assert.equal(error.cause, cause);
  assert.equal(error.retriable, true);
});

test('the message of a KafkaError fits into an answer, whatever it repeats of what a peer sent', () => {
  const { message } = new KafkaError('INVALID_CONFIG', `Unknown topic config name: ${'€'.repeat(32_767)}`);
  assert.match(message, /^Unknown topic config name: €+…$/);
  assert.ok(Buffer.byteLength(message) <= 32_767);
});

test('making a KafkaError leaves the stacks of other errors as they are', () => {
  const error = new KafkaError('NOT_CONTROLLER');
  assert.ok((error.stack ?? '').split('\n').length <= 1);
  assert.match(new TypeError('a bug').stack ?? '', /errors\.test\.ts/);
});
