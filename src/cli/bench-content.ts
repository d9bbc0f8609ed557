import type { Random } from '../base/random.ts';

const WORDS = [
  'alder',
  'birch',
  'cedar',
  'elm',
  'fir',
  'hazel',
  'larch',
  'maple',
  'oak',
  'pine',
  'rowan',
  'spruce',
  'willow',
  'yew',
];
const LETTERS_FROM = 65;
const LETTERS = 26;

/** A value of so many bytes: random letters, as kafka-producer-perf-test sends, or words, which compress as real text does. */
export function benchContent(random: Random, size: number, kind: 'random' | 'text'): Buffer {
  const value = Buffer.allocUnsafe(size);
  if (kind === 'random') {
    for (let index = 0; index < size; index++) value[index] = LETTERS_FROM + random.integer(LETTERS);
    return value;
  }
  let text = '';
  while (text.length < size) text += `${WORDS[random.integer(WORDS.length)]} `;
  value.write(text.slice(0, size), 'latin1');
  return value;
}
