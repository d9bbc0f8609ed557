import { type Command, InvalidArgumentError, Option } from 'commander';
import { nodeDisk } from '../../platform/node-disk.ts';
import { groupContents, shareContents, transactionContents } from '../../server/tools/dump-log/coordinator-contents.ts';
import { dumpLog } from '../../server/tools/dump-log/dump-log.ts';
import { DEFAULT_MAX_MESSAGE_SIZE, type DumpOptions, NO_BYTE_LIMIT } from '../../server/tools/dump-log/dump-options.ts';
import { DumpLogError } from '../../server/tools/dump-log/dump-output.ts';
import { metadataContents } from '../../server/tools/dump-log/metadata-contents.ts';
import {
  type RecordContents,
  userContents,
  type ValueDecoder,
  valueDecoder,
  valueDecoderNames,
} from '../../server/tools/dump-log/record-contents.ts';
import { remoteLogContents } from '../../server/tools/dump-log/remote-log-contents.ts';
import { CliError, usageError } from '../cli-error.ts';
import { nameList, wholeNumber } from '../option-values.ts';
import type { Terminal } from '../terminal.ts';

interface DumpLogOptions {
  readonly files?: readonly string[];
  readonly printDataLog?: boolean;
  readonly deepIteration?: boolean;
  readonly skipRecordMetadata?: boolean;
  readonly indexSanityCheck?: boolean;
  readonly verifyIndexOnly?: boolean;
  readonly maxMessageSize: number;
  readonly maxBytes: number;
  readonly keyDecoderClass: ValueDecoder;
  readonly valueDecoderClass: ValueDecoder;
  readonly clusterMetadataDecoder?: boolean;
  readonly offsetsDecoder?: boolean;
  readonly transactionLogDecoder?: boolean;
  readonly shareGroupStateDecoder?: boolean;
  readonly remoteLogMetadataDecoder?: boolean;
}

const EXAMPLES = `
Examples:
  $ ottla dump-log data/orders-0/00000000000000000000.log
  $ ottla dump-log --print-data-log data/orders-0/*.log
  $ ottla dump-log --cluster-metadata-decoder data/__cluster_metadata-0/*.log
  $ ottla dump-log --index-sanity-check data/orders-0/*.index`;

const DECODERS = [
  'clusterMetadataDecoder',
  'offsetsDecoder',
  'transactionLogDecoder',
  'shareGroupStateDecoder',
  'remoteLogMetadataDecoder',
];

export function define(command: Command, terminal: Terminal): void {
  command
    .argument('[files...]', '.log, .index, .timeindex, .txnindex, .snapshot and .checkpoint files')
    .option('--files <list>', 'the same, separated by commas', nameList)
    .option('--deep-iteration', 'print records, not only batches')
    .option('--print-data-log', 'print records with keys and values')
    .option('--skip-record-metadata', 'print keys and values only')
    .option('--index-sanity-check', 'check whether an index would be used or made again at the next start')
    .option('--verify-index-only', 'compare an index with its log and print differences only')
    .addOption(
      new Option('--max-message-size <bytes>', 'largest batch to expect where an index points')
        .argParser(wholeNumber(1))
        .default(DEFAULT_MAX_MESSAGE_SIZE),
    )
    .addOption(
      new Option('--max-bytes <bytes>', 'read so many bytes of a log only')
        .argParser(wholeNumber(0, NO_BYTE_LIMIT))
        .default(NO_BYTE_LIMIT, 'all'),
    )
    .addOption(decoderClass('--key-decoder-class <name>', 'how to print keys'))
    .addOption(decoderClass('--value-decoder-class <name>', 'how to print values'))
    .addOption(decoder('--cluster-metadata-decoder', 'the files are of __cluster_metadata'))
    .addOption(decoder('--offsets-decoder', 'the files are of __consumer_offsets'))
    .addOption(decoder('--transaction-log-decoder', 'the files are of __transaction_state'))
    .addOption(decoder('--share-group-state-decoder', 'the files are of __share_group_state'))
    .addOption(decoder('--remote-log-metadata-decoder', 'the files are of __remote_log_metadata'))
    .addHelpText('after', EXAMPLES)
    .action((files: string[], options: DumpLogOptions) => run(terminal, [...files, ...(options.files ?? [])], options));
}

/** A log is of one kind. */
function decoder(flags: string, description: string): Option {
  const option = new Option(flags, description);
  return option.conflicts(DECODERS.filter((name) => name !== option.attributeName()));
}

function decoderClass(flags: string, description: string): Option {
  const parse = (name: string): ValueDecoder => {
    const found = valueDecoder(name);
    if (found === null) throw new InvalidArgumentError(`It must be one of ${valueDecoderNames.join(', ')}.`);
    return found;
  };
  return new Option(flags, `${description}: ${valueDecoderNames.join(', ')}`).argParser(parse).default(parse('string'), 'string');
}

function contentsOf(options: DumpLogOptions): RecordContents | null {
  if (options.clusterMetadataDecoder === true) return metadataContents;
  if (options.offsetsDecoder === true) return groupContents;
  if (options.transactionLogDecoder === true) return transactionContents;
  if (options.shareGroupStateDecoder === true) return shareContents;
  if (options.remoteLogMetadataDecoder === true) return remoteLogContents;
  return options.printDataLog === true ? userContents(options.keyDecoderClass, options.valueDecoderClass) : null;
}

function run(terminal: Terminal, files: readonly string[], options: DumpLogOptions): void {
  if (files.length === 0)
    throw usageError('No file to dump', 'Name files: ottla dump-log data/orders-0/00000000000000000000.log');
  const contents = contentsOf(options);
  const dumpOptions: DumpOptions = {
    contents,
    deepIteration: options.deepIteration === true || contents !== null,
    skipRecordMetadata: options.skipRecordMetadata ?? false,
    indexSanityCheck: options.indexSanityCheck ?? false,
    verifyIndexOnly: options.verifyIndexOnly ?? false,
    maxBytes: options.maxBytes,
    maxMessageSize: options.maxMessageSize,
  };
  const buffer = new TextBuffer((text) => terminal.data(text));
  try {
    dumpLog(nodeDisk, files, dumpOptions, { out: (text) => buffer.add(text), problem: (line) => terminal.fail(line) });
  } catch (error) {
    if (error instanceof DumpLogError) throw new CliError(error.message, { cause: error });
    throw error;
  } finally {
    buffer.flush();
  }
}

const FLUSH_CHARACTERS = 64 * 1024;

/** Collects the many small pieces of a dump: a write for each would be slow. */
class TextBuffer {
  readonly #write: (text: string) => void;
  #text = '';

  constructor(write: (text: string) => void) {
    this.#write = write;
  }

  add(text: string): void {
    this.#text += text;
    if (this.#text.length >= FLUSH_CHARACTERS) this.flush();
  }

  flush(): void {
    if (this.#text !== '') this.#write(this.#text);
    this.#text = '';
  }
}
