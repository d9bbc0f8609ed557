import { InvalidArgumentError } from 'commander';

/** Where reading starts, as the command line says it. */
export type Place =
  | { readonly kind: 'earliest' }
  | { readonly kind: 'latest' }
  | { readonly kind: 'offset'; readonly offset: number }
  /** So many records before the end. */
  | { readonly kind: 'before-end'; readonly count: number }
  | { readonly kind: 'time'; readonly timestamp: number };

const NAMES: Readonly<Record<string, Place>> = {
  earliest: { kind: 'earliest' },
  beginning: { kind: 'earliest' },
  latest: { kind: 'latest' },
  end: { kind: 'latest' },
};

/** `earliest`, `latest`, an offset, `-N` before the end, `@MILLIS`, or a date such as 2026-11-30T12:00:00Z. */
export function placeOf(text: string): Place {
  const named = NAMES[text.toLowerCase()];
  if (named !== undefined) return named;
  if (/^\d+$/.test(text)) return { kind: 'offset', offset: Number(text) };
  if (/^-\d+$/.test(text)) return { kind: 'before-end', count: -Number(text) };
  if (/^(?:s?@)\d+$/.test(text)) return { kind: 'time', timestamp: Number(text.slice(text.indexOf('@') + 1)) };
  const date = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(date)) {
    throw new InvalidArgumentError('It must be earliest, latest, an offset, -N (before the end), @MILLIS or a date.');
  }
  return { kind: 'time', timestamp: date };
}
