import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { nodeDisk } from '../../../src/platform/node-disk.ts';
import { groupContents, shareContents, transactionContents } from '../../../src/server/tools/dump-log/coordinator-contents.ts';
import { dumpLog } from '../../../src/server/tools/dump-log/dump-log.ts';
import { DEFAULT_MAX_MESSAGE_SIZE, type DumpOptions, NO_BYTE_LIMIT } from '../../../src/server/tools/dump-log/dump-options.ts';
import { DumpLogError } from '../../../src/server/tools/dump-log/dump-output.ts';
import { metadataContents } from '../../../src/server/tools/dump-log/metadata-contents.ts';
import { type RecordContents, userContents, valueDecoder } from '../../../src/server/tools/dump-log/record-contents.ts';
import { remoteLogContents } from '../../../src/server/tools/dump-log/remote-log-contents.ts';
import { DiskError } from '../../../src/base/disk.ts';
import { readGoldenLines } from '../../golden-lines.ts';
import { type DumpLogGolden, prepareDumpLogFiles } from './dump-log-cases.ts';

const root = mkdtempSync(join(tmpdir(), 'ottla-dump-log-'));
after(() => rmSync(root, { recursive: true, force: true }));
prepareDumpLogFiles(root);

const CONTENTS: Readonly<Record<string, RecordContents>> = {
  '--cluster-metadata-decoder': metadataContents,
  '--offsets-decoder': groupContents,
  '--transaction-log-decoder': transactionContents,
  '--share-group-state-decoder': shareContents,
  '--remote-log-metadata-decoder': remoteLogContents,
};

function optionsOf(args: readonly string[]): DumpOptions {
  const valueOf = (flag: string): string | undefined => (args.includes(flag) ? args[args.indexOf(flag) + 1] : undefined);
  const decoder = args.find((arg) => arg in CONTENTS);
  const keys = valueDecoder(valueOf('--key-decoder-class') ?? 'String');
  const values = valueDecoder(valueOf('--value-decoder-class') ?? 'String');
  assert.ok(keys !== null && values !== null);
  const contents =
    decoder === undefined ? (args.includes('--print-data-log') ? userContents(keys, values) : null) : (CONTENTS[decoder] ?? null);
  return {
    contents,
    deepIteration: contents !== null || args.includes('--deep-iteration'),
    skipRecordMetadata: args.includes('--skip-record-metadata'),
    indexSanityCheck: args.includes('--index-sanity-check'),
    verifyIndexOnly: args.includes('--verify-index-only'),
    maxBytes: Number(valueOf('--max-bytes') ?? NO_BYTE_LIMIT),
    maxMessageSize: DEFAULT_MAX_MESSAGE_SIZE,
  };
}

function dump(args: readonly string[]): { readonly exit: number; readonly stdout: string; readonly stderr: string } {
  const stdout: string[] = [];
  const stderr: string[] = [];
  let exit = 0;
  const files = (args[1] ?? '').split(',');
  const disk = {
    ...nodeDisk,
    open: (path: string) => nodeDisk.open(join(root, path), { readOnly: true }),
    exists: (path: string) => nodeDisk.exists(join(root, path)),
  };
  try {
    dumpLog(disk, files, optionsOf(args), {
      out: (text) => void stdout.push(text),
      problem: (line) => void stderr.push(`${line}\n`),
    });
  } catch (error) {
    if (!(error instanceof DumpLogError || error instanceof DiskError)) throw error;
    exit = 1;
    stderr.push(`${error.message}\n`);
  }
  return { exit, stdout: stdout.join(''), stderr: stderr.join('') };
}

/** The reason why a record cannot be read is told in words of our own. */
const withoutReasons = (text: string): string => text.replaceAll(/(Error at (?:offset )?\d+, skipping\.).*/g, '$1');

for (const golden of readGoldenLines('cli-dump-log.jsonl.gz') as DumpLogGolden[]) {
  test(`dump-log prints what kafka-dump-log prints: ${golden.name}`, () => {
    const ours = dump(golden.args);
    assert.equal(withoutReasons(ours.stdout), withoutReasons(golden.stdout));
    assert.equal(ours.exit, golden.exit);
  });
}
