import type { Disk } from '../../../base/disk.ts';
import { type DumpOptions, fileName } from './dump-options.ts';
import type { DumpOutput } from './dump-output.ts';
import { dumpOffsetIndex, dumpTimeIndex, type IndexProblems } from './index-lines.ts';
import { dumpLogFile } from './log-lines.ts';
import { dumpProducerSnapshot, dumpTransactionIndex } from './state-lines.ts';

/**
 * Prints files of a partition's directory line by line as kafka-dump-log does: segments and snapshots of the metadata log, offset, time and
 * transaction indexes, producer snapshots. What does not fit together is reported at the end. Throws DumpLogError where a file cannot be read on, and DiskError.
 */
export function dumpLog(disk: Disk, paths: readonly string[], options: DumpOptions, output: DumpOutput): void {
  const reports: (() => void)[] = [];
  for (const path of paths) {
    output.out(`Dumping ${path}\n`);
    const name = fileName(path);
    switch (name.slice(name.lastIndexOf('.'))) {
      case '.log':
      case '.checkpoint': {
        const gaps = dumpLogFile(disk, path, options, output);
        const lines = gaps.map(({ before, after }) => `  ${before} is followed by ${after}`);
        reports.push(() => report(output, `Non-consecutive offsets in ${path}`, lines));
        break;
      }
      case '.index': {
        const problems = dumpOffsetIndex(disk, path, options, output);
        reports.push(() => reportIndex(output, path, problems));
        break;
      }
      case '.timeindex': {
        const problems = dumpTimeIndex(disk, path, options, output);
        reports.push(() => reportIndex(output, path, problems));
        break;
      }
      case '.snapshot':
        dumpProducerSnapshot(disk, path, output);
        break;
      case '.txnindex':
        dumpTransactionIndex(disk, path, output);
        break;
      default:
        output.problem(`Ignoring unknown file ${path}`);
    }
  }
  for (const print of reports) print();
}

function reportIndex(output: DumpOutput, path: string, problems: IndexProblems): void {
  report(output, `Mismatches in :${path}`, problems.offsetMismatches);
  report(output, `Found timestamp mismatch in :${path}`, problems.timestampMismatches);
  report(output, `Found out of order timestamp in :${path}`, problems.outOfOrder);
  report(output, 'The following indexed offsets are not found in the log.', problems.notFound);
}

function report({ problem }: DumpOutput, heading: string, lines: readonly string[]): void {
  if (lines.length === 0) return;
  problem(heading);
  for (const line of lines) problem(line);
}
