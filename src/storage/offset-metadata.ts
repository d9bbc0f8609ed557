/**
 * An offset and where it is on disk. Two of them in one segment can be subtracted without looking at the log: that is how a waiting fetch counts what has become
 * readable.
 */
export interface LogOffsetMetadata {
  readonly offset: number;
  readonly segmentBaseOffset: number;
  readonly positionInSegment: number;
}

/** Where nothing but the offset is known. */
const UNKNOWN_PLACE = -1;

export const offsetOnly = (offset: number): LogOffsetMetadata => ({
  offset,
  segmentBaseOffset: UNKNOWN_PLACE,
  positionInSegment: UNKNOWN_PLACE,
});

export const isOffsetOnly = (metadata: LogOffsetMetadata): boolean => metadata.positionInSegment === UNKNOWN_PLACE;

/** Bytes from `from` to `to`; null if they are not in one segment or not known. */
export function bytesBetween(from: LogOffsetMetadata, to: LogOffsetMetadata): number | null {
  if (isOffsetOnly(from) || isOffsetOnly(to) || from.segmentBaseOffset !== to.segmentBaseOffset) return null;
  return to.positionInSegment - from.positionInSegment;
}
