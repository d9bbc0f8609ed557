import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { SimulatedRandom } from '../../simulation/simulated-random.ts';
import { askPattern } from '../coordinator/group/regex/ask-pattern.ts';
import { randomPatterns, randomTexts, writtenPatterns } from '../coordinator/group/regex/random-patterns.ts';
import { runJava } from './java-program.ts';

const seed = Number(process.env['PEER_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const count = Number(process.env['PEER_PATTERNS'] ?? 10_000);

/** Where to keep what was asked and answered, for test/coordinator/group/regex/kafka-patterns.test.ts. */
const recordPath = process.env['PEER_RECORD'];

test('patterns that come by chance match, or are refused, as by the library of Kafka', async () => {
  const random = new SimulatedRandom(seed);
  const texts = randomTexts(random, 60);
  const patterns = [...new Set([...writtenPatterns, ...randomPatterns(random, count)])];
  const input = [texts, ...patterns].map((line) => `${JSON.stringify(line)}\n`).join('');
  const answers = await runJava('TopicPatternCases', [], input);
  assert.equal(answers.length, patterns.length);
  const wrong = patterns.flatMap((pattern, index) => {
    const [ours, theirs] = [askPattern(pattern, texts), answers[index]].map((answer) => JSON.stringify(answer));
    return ours === theirs ? [] : [`seed ${seed}: ${JSON.stringify(pattern)} gives ${ours}, in Kafka ${theirs}`];
  });
  assert.deepEqual(wrong, []);
  if (recordPath !== undefined) {
    const lines = [texts, ...patterns.map((pattern, index) => [pattern, answers[index]])].map(
      (line) => `${JSON.stringify(line)}\n`,
    );
    writeFileSync(recordPath, gzipSync(lines.join(''), { level: 9 }));
  }
});
