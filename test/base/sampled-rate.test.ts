import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SampledRate } from '../../src/base/sampled-rate.ts';

const rateOf = (...times: number[]): SampledRate => {
  const rate = new SampledRate({ samples: 11, sampleMs: 1000 });
  for (const time of times) rate.record(1, time);
  return rate;
};

test('a rate that has just begun is taken over all samples but one', () => {
  const rate = rateOf(0, 0, 0, 0, 0);
  assert.deepEqual([rate.perSecond(0), rate.windowMs(0)], [0.5, 10_000]);
  assert.deepEqual([rate.perSecond(900), rate.windowMs(900)], [5_000 / 10_900, 10_900]);
  assert.deepEqual([rate.perSecond(10_900), rate.windowMs(10_900)], [5_000 / 10_900, 10_900]);
});

test('what is older than all samples does not count', () => {
  const rate = rateOf(0, 500, 1_600);
  assert.equal(rate.perSecond(11_499), 3_000 / 11_499);
  assert.equal(rate.perSecond(11_500), 1_000 / 10_900, 'the sample that began at 0 had its last event at 500');
  assert.equal(rate.perSecond(12_600), 0);
  assert.equal(rate.windowMs(12_600), 10_000);
});

test('a steady rate is found', () => {
  const rate = rateOf(...Array.from({ length: 3_000 }, (_, at) => at * 10));
  const found = rate.perSecond(29_990);
  assert.ok(Math.abs(found - 100) < 1, `${found}`);
});

test('a window is never empty', () => {
  const rate = new SampledRate({ samples: 1, sampleMs: 1000 });
  rate.record(1, 0);
  assert.deepEqual([rate.windowMs(0), rate.perSecond(0)], [1, 1000]);
});
