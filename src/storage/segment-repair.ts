import type { LogContext } from './log-context.ts';
import type { LogFile } from './log-file.ts';
import { joinPath } from './path.ts';
import type { DamagedRange } from './segment-damage.ts';
import { CLEANED_SUFFIX, fileNameOf, LOG_SUFFIX, pathOf, SWAP_SUFFIX } from './segment-files.ts';

const BLOCK_BYTES = 1024 * 1024;

/**
 * Writes a segment's log file anew without a damaged range, and keeps the range in a file of its own for whoever wants to look at it. The steps are those of
 * Kafka's cleaner, so that a crash at any of them leaves the old file or the new one.
 */
export function cutOut(
  context: LogContext,
  log: LogFile,
  { baseOffset, range }: { readonly baseOffset: number; readonly range: DamagedRange },
): string {
  const { disk } = context.environment;
  const { directory } = context;
  const { sizeInBytes } = log;
  const damagedName = fileNameOf(baseOffset, `.${range.start}.damaged`);
  copyRanges(context, log, { to: joinPath(directory, damagedName), ranges: [range] });
  const cleaned = pathOf(directory, baseOffset, `${LOG_SUFFIX}${CLEANED_SUFFIX}`);
  const healthy = [
    { start: 0, end: range.start },
    { start: range.end, end: sizeInBytes },
  ];
  copyRanges(context, log, { to: cleaned, ranges: healthy });
  log.releaseHandle();
  const swap = pathOf(directory, baseOffset, `${LOG_SUFFIX}${SWAP_SUFFIX}`);
  disk.rename(cleaned, swap);
  disk.syncDirectory(directory);
  disk.rename(swap, pathOf(directory, baseOffset, LOG_SUFFIX));
  disk.syncDirectory(directory);
  return damagedName;
}

function copyRanges(
  context: LogContext,
  log: LogFile,
  { to, ranges }: { readonly to: string; readonly ranges: readonly DamagedRange[] },
): void {
  const file = context.environment.disk.open(to, { create: true });
  try {
    file.truncate(0);
    const block = Buffer.alloc(BLOCK_BYTES);
    let written = 0;
    for (const { start, end } of ranges) {
      for (let at = start; at < end; at += BLOCK_BYTES) {
        const part = block.subarray(0, Math.min(BLOCK_BYTES, end - at));
        const count = log.read(part, at);
        file.write([part.subarray(0, count)], written);
        written += count;
      }
    }
    file.syncNow();
  } finally {
    file.close();
  }
}
