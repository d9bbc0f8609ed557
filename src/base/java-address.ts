const GROUPS = 8;
const V4_IN_V6 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/** An IP address as Java writes it: all eight groups of one of the sixth version, and one of the fourth version always as such. */
export function javaAddress(address: string): string {
  const mapped = V4_IN_V6.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  if (!address.includes(':')) return address;
  const [body = '', scope] = address.split('%');
  const [left = '', right] = body.split('::');
  const before = groupsOf(left);
  const after = groupsOf(right ?? '');
  const zeros = Array.from({ length: right === undefined ? 0 : GROUPS - before.length - after.length }, () => '0');
  const text = [...before, ...zeros, ...after].join(':');
  return scope === undefined ? text : `${text}%${scope}`;
}

const groupsOf = (text: string): string[] =>
  text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16).toString(16));
