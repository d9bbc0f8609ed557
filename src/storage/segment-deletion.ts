import type { Timer } from '../base/clock.ts';
import type { LogContext } from './log-context.ts';
import type { LogSegment } from './log-segment.ts';
import { DELETED_SUFFIX, pathOf, SNAPSHOT_SUFFIX } from './segment-files.ts';

/**
 * Takes segments out of a log: their files get the suffix `.deleted` at once and are removed after file.delete.delay.ms. Regions that are being sent stay readable
 * throughout, because they hold the open file.
 */
export class SegmentDeletion {
  readonly #context: LogContext;
  readonly #timers = new Set<Timer>();

  constructor(context: LogContext) {
    this.#context = context;
  }

  delete(segments: readonly LogSegment[]): void {
    if (segments.length === 0) return;
    const paths = segments.flatMap((segment) => this.#rename(segment));
    const { clock } = this.#context.environment;
    const timer = clock.schedule(this.#context.config.fileDeleteDelayMs, () => {
      this.#timers.delete(timer);
      this.#remove(paths);
    });
    this.#timers.add(timer);
  }

  /** Files that are waiting to be removed are left to the next start. */
  cancel(): void {
    for (const timer of this.#timers) timer.cancel();
    this.#timers.clear();
  }

  #rename(segment: LogSegment): string[] {
    const { disk } = this.#context.environment;
    segment.log.releaseHandle();
    segment.isDeleted = true;
    const snapshot = {
      path: pathOf(this.#context.directory, segment.baseOffset, SNAPSHOT_SUFFIX),
      renamed: () => undefined,
    };
    const paths: string[] = [];
    for (const file of [...segment.files, snapshot]) {
      if (!disk.exists(file.path)) continue;
      const to = `${file.path}${DELETED_SUFFIX}`;
      disk.rename(file.path, to);
      file.renamed(to);
      paths.push(to);
    }
    return paths;
  }

  #remove(paths: readonly string[]): void {
    if (this.#context.failure !== null) return;
    try {
      for (const path of paths) this.#context.environment.disk.remove(path);
    } catch (error) {
      this.#context.failed('Removing old segments', error);
    }
  }
}
