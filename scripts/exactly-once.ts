import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runExactlyOnceRounds } from '../test/crash/exactly-once/exactly-once-rounds.ts';

/**
 * Copies records and transfers money in transactions while clients and the broker are killed:
 * `npm run test:exactly-once -- [--rounds 200] [--seed N] [--built] [--workspace DIRECTORY]`
 */

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '200' },
    seed: { type: 'string', default: String(1 + (Date.now() % 1_000_000)) },
    built: { type: 'boolean', default: false },
    workspace: { type: 'string' },
  },
});

const seed = Number(values.seed);
const directory = values.workspace ?? mkdtempSync(join(tmpdir(), 'ottla-exactly-once-'));
console.log(`seed ${seed}, data in ${directory}`);
const report = await runExactlyOnceRounds({
  seed,
  rounds: Number(values.rounds),
  directory,
  isBuilt: values.built,
  report: (line) => console.log(line),
});
console.log(
  `${report.brokerKills} kills of the broker and ${report.clientKills} of clients (${report.incarnations} incarnations): ` +
    `${report.recordsCopied} records copied once and in order, ${report.transfersCommitted} transfers committed and ` +
    `${report.transfersAborted} aborted, nothing of them in part, and no transaction left open.`,
);
if (values.workspace === undefined) rmSync(directory, { recursive: true, force: true });
