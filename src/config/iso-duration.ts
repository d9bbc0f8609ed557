const DURATION = /^([+-]?)P(?:([+-]?\d+)D)?(?:T(?=[\d+-])(?:([+-]?\d+)H)?(?:([+-]?\d+)M)?(?:([+-]?\d+(?:[.,]\d{0,9})?)S)?)?$/i;

/** Milliseconds of an ISO 8601 duration of days, hours, minutes and seconds (`P1DT2H3.5S`), as java.time reads it; null if it is none. */
export function parseDuration(text: string): number | null {
  const match = DURATION.exec(text);
  if (match === null) return null;
  const [, sign, ...fields] = match;
  if (fields.every((field) => field === undefined)) return null;
  const [days, hours, minutes, seconds] = fields.map((field) => Number((field ?? '0').replace(',', '.')));
  const total = (((days ?? 0) * 24 + (hours ?? 0)) * 60 + (minutes ?? 0)) * 60 + (seconds ?? 0);
  return (sign === '-' ? -total : total) * 1000;
}
