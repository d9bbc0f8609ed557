/** Versions as the schemas write them: `0+` (and all later ones), `3-7` (both included) or `4`. */
export type Versions = `${number}+` | `${number}-${number}` | `${number}`;

export interface VersionRange {
  readonly min: number;
  /** Infinity where the range is open. */
  readonly max: number;
}

/** Every request asks for some of these; schemas write a few dozen different ones. */
const ranges = new Map<Versions, VersionRange>();

export function versionRange(versions: Versions): VersionRange {
  let range = ranges.get(versions);
  if (range === undefined) ranges.set(versions, (range = parse(versions)));
  return range;
}

function parse(versions: Versions): VersionRange {
  const open = versions.endsWith('+');
  const [min, max] = versions.replace('+', '').split('-').map(Number) as [number, number?];
  return { min, max: open ? Number.POSITIVE_INFINITY : (max ?? min) };
}

export function includesVersion(versions: Versions | 'none', version: number): boolean {
  if (versions === 'none') return false;
  const { min, max } = versionRange(versions);
  return min <= version && version <= max;
}
