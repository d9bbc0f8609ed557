const grouping = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });

/** `1 partition`, `3 partitions`, `1,000,000 records`. */
export const plural = (count: number, noun: string): string => `${wholeText(count)} ${noun}${count === 1 ? '' : 's'}`;

/** A whole number with its thousands apart. */
export const wholeText = (value: number): string => grouping.format(value);

const BYTES_IN_MIB = 1024 * 1024;

/** Kafka's MB in rates are 2^20 bytes. */
export const mebibytes = (bytes: number): number => bytes / BYTES_IN_MIB;

/** `12.3 KiB`, for people. */
export function bytesText(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${units[unit]}`;
}
