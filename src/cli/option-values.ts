import { InvalidArgumentError } from 'commander';

/** Readers of option values. Each gives the value or throws commander's InvalidArgumentError, which names the option. */

export function wholeNumber(minimum: number, maximum: number = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const value = Number(text.replaceAll('_', ''));
    if (text.trim() === '' || !Number.isSafeInteger(value)) throw new InvalidArgumentError('It must be a whole number.');
    if (value < minimum) throw new InvalidArgumentError(`It must be at least ${minimum}.`);
    if (value > maximum) throw new InvalidArgumentError(`It must be at most ${maximum}.`);
    return value;
  };
}

const BYTES_OF_UNIT: Readonly<Record<string, number>> = { '': 1, b: 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3, t: 1024 ** 4 };

/** `128k`, `1MiB`, `1048576`: bytes, in powers of 1024. */
export function byteSize(text: string): number {
  const match = /^(\d+(?:\.\d+)?)\s*(?:([kmgt])(?:i?b)?|b)?$/i.exec(text.trim());
  if (match === null) throw new InvalidArgumentError('It must be a size such as 16384, 128k or 1MiB.');
  return Math.floor(Number(match[1]) * (BYTES_OF_UNIT[(match[2] ?? '').toLowerCase()] ?? 1));
}

const MILLIS_OF_UNIT: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `250`, `250ms`, `5s`, `2m`, `1h`, `7d`: milliseconds. */
export function duration(text: string): number {
  const match = /^(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)?$/i.exec(text.trim());
  if (match === null) throw new InvalidArgumentError('It must be a time such as 250ms, 5s or 2m.');
  return Math.round(Number(match[1]) * (MILLIS_OF_UNIT[(match[2] ?? 'ms').toLowerCase()] ?? 1));
}

/** Collects `key=value` options into one record; a later one wins. */
export function keyValue(text: string, previous: Readonly<Record<string, string>> = {}): Record<string, string> {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('It must have the form key=value.');
  return { ...previous, [text.slice(0, at).trim()]: text.slice(at + 1) };
}

/** Collects an option that may be given several times. */
export const repeated = (text: string, previous: readonly string[] = []): string[] => [...previous, text];

/** `a,b` given once or several times: names, without empty ones. */
export const nameList = (text: string, previous: readonly string[] = []): string[] => [
  ...previous,
  ...text.split(',').flatMap((name) => (name.trim() === '' ? [] : [name.trim()])),
];

const PARTITIONS_MAX = 100_000;

/** `0,3,5-8`: partition numbers in ascending order without repetition. */
export function partitionList(text: string): number[] {
  const numbers = new Set<number>();
  for (const piece of text.split(',')) {
    const match = /^(\d+)(?:-(\d+))?$/.exec(piece.trim());
    if (match === null) throw new InvalidArgumentError('It must be partition numbers such as 0 or 0,2,5-8.');
    const first = Number(match[1]);
    const last = Number(match[2] ?? match[1]);
    if (last < first || last - first > PARTITIONS_MAX) throw new InvalidArgumentError(`${piece} is not a range of partitions.`);
    for (let number = first; number <= last; number++) numbers.add(number);
  }
  return [...numbers].sort((a, b) => a - b);
}

/** `name=value` or `name:value` record headers. */
export function header(text: string, previous: readonly HeaderOption[] = []): HeaderOption[] {
  const at = text.search(/[=:]/);
  if (at < 1) throw new InvalidArgumentError('It must have the form name=value.');
  return [...previous, { key: text.slice(0, at), value: text.slice(at + 1) }];
}

export interface HeaderOption {
  readonly key: string;
  readonly value: string;
}
