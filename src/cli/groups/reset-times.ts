import { InvalidArgumentError } from 'commander';
import { duration } from '../option-values.ts';

const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,3})?(?<zone>Z|[+-]\d\d(?::?\d\d)?)?$/;

/** `YYYY-MM-DDTHH:mm:SS.sss`, with a zone or in UTC: milliseconds since the epoch. */
export function dateTime(text: string): number {
  const match = DATE_TIME.exec(text);
  if (match === null)
    throw new InvalidArgumentError('It must have the form YYYY-MM-DDTHH:mm:SS.sss, with Z or +HH:MM behind it or in UTC.');
  const zone = match.groups?.['zone'] ?? '';
  const local = text.slice(0, text.length - zone.length);
  const time = Date.parse(`${local}${zoneOf(zone)}`);
  if (Number.isNaN(time)) throw new InvalidArgumentError('There is no such day or time.');
  return time;
}

function zoneOf(zone: string): string {
  if (zone === '' || zone === 'Z') return 'Z';
  const digits = zone.slice(1).replace(':', '').padEnd(4, '0');
  return `${zone.charAt(0)}${digits.slice(0, 2)}:${digits.slice(2)}`;
}

const ISO_DURATION =
  /^(?<sign>[-+]?)P(?:(?<days>[-+]?\d+)D)?(?:T(?=.)(?:(?<hours>[-+]?\d+)H)?(?:(?<minutes>[-+]?\d+)M)?(?:(?<seconds>[-+]?\d+(?:[.,]\d{0,9})?)S)?)?$/i;

const MILLIS = { days: 86_400_000, hours: 3_600_000, minutes: 60_000, seconds: 1000 } as const;

/** `PnDTnHnMnS` as ISO 8601 has it, or one of the shorter times that other options take: milliseconds. */
export function isoDuration(text: string): number {
  const groups = ISO_DURATION.exec(text)?.groups;
  if (groups === undefined || /^[-+]?P$/i.test(text)) return shortDuration(text);
  const parts = Object.entries(MILLIS).map(([unit, millis]) => Number((groups[unit] ?? '0').replace(',', '.')) * millis);
  const total = Math.round(parts.reduce((sum, part) => sum + part, 0));
  return groups['sign'] === '-' ? -total : total;
}

function shortDuration(text: string): number {
  try {
    return duration(text);
  } catch {
    throw new InvalidArgumentError('It must have the form PnDTnHnMnS, such as PT1H30M or P7D.');
  }
}
