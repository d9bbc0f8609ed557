import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compileTopicPattern } from '../../../../src/coordinator/group/regex/topic-pattern.ts';

const isRefused = (pattern: string, reason: string): void => {
  assert.throws(() => compileTopicPattern(pattern), {
    name: 'KafkaError',
    errorName: 'INVALID_REGULAR_EXPRESSION',
    message: `SubscribedTopicRegex \`${pattern}\` is not a valid regular expression: ${reason}.`,
  });
};

describe('a pattern over topic names', () => {
  it('matches whole names', () => {
    const pattern = compileTopicPattern('orders-[0-9]+');
    assert.equal(pattern.text, 'orders-[0-9]+');
    assert.ok(pattern.matches('orders-12'));
    assert.ok(!pattern.matches('orders-12-old'));
    assert.ok(!pattern.matches('my-orders-12'));
  });

  it('has nothing that could take more than linear time', () => {
    for (const lookaround of ['(?=a)b', '(?!a)b', '(?>a)']) isRefused(lookaround, 'invalid or unsupported Perl syntax');
    for (const lookbehind of ['(?<=a)b', '(?<!a)b']) isRefused(lookbehind, 'invalid named capture');
    isRefused(String.raw`(a)\1`, 'invalid escape sequence');
  });

  it('is refused when a repetition of repetitions would be too large, before memory is taken for it', () => {
    isRefused('(((a{1000}){1000}){1000})', 'pattern too large');
    isRefused('(a{100}){100}', 'pattern too large');
    isRefused('a{1001}', 'invalid repeat count');
    assert.ok(compileTopicPattern('(a{90}){100}|a*').matches('a'.repeat(249)));
    const nested = `${'('.repeat(900)}a${'){1000}'.repeat(900)}`;
    isRefused(nested, 'pattern too large');
  });

  it('does not match what would take it long: a large one longer texts than names of topics are, a small one texts of any length', () => {
    assert.ok(!compileTopicPattern('(a{90}){100}|a*').matches('a'.repeat(1000)));
    assert.ok(compileTopicPattern('(a{9}){7}|a*').matches('a'.repeat(32_767)));
  });

  it('is refused when it is too long or nests too deeply, and the error does not repeat all of it', () => {
    isRefused('('.repeat(1001), 'expression nests too deeply');
    assert.throws(
      () => compileTopicPattern('a'.repeat(1_000_000)),
      (error: Error) => error.message.length < 250,
    );
    assert.ok(compileTopicPattern('a|'.repeat(4_999)).matches('a'));
  });

  it('is as fast where backtracking would not come to an end', () => {
    const text = 'a'.repeat(10_000);
    for (const [pattern, matches] of [
      ['(a+)+', true],
      ['(a+)+b', false],
      ['(a|a)*b', false],
      ['((a*)*)*b', false],
      ['(a|aa)+', true],
      ['(a?){100}(a*)*', true],
    ] as const) {
      assert.equal(compileTopicPattern(pattern).matches(text), matches, pattern);
    }
  });

  it('never matches names with characters that no topic has', () => {
    assert.ok(!compileTopicPattern('.*').matches('caf\u00e9'));
  });

  it('may be used again and again', () => {
    const pattern = compileTopicPattern(String.raw`(a|b\b)*`);
    assert.deepEqual(
      ['ab', 'c', '', 'ba', 'aab'].map((topic) => pattern.matches(topic)),
      [true, false, true, false, true],
    );
  });
});
