import type { Command } from 'commander';
import type { Terminal } from './terminal.ts';

/** What a command file exports: it adds arguments, options and an action to the command of its name. */
export interface CommandModule {
  define(command: Command, terminal: Terminal): void;
}

interface CommandEntry {
  readonly name: string;
  readonly summary: string;
  /** Only the command that was asked for is loaded: starting stays quick however many there are. */
  load(): Promise<CommandModule>;
}

/** Every command, in the order of `ottla --help`. */
export const commandList: readonly CommandEntry[] = [
  {
    name: 'start',
    summary: 'run a node: a broker that is its own cluster unless configured otherwise',
    load: () => import('./commands/start.ts'),
  },
  { name: 'topics', summary: 'create, list, describe, alter and delete topics', load: () => import('./commands/topics.ts') },
  {
    name: 'produce',
    summary: 'send lines of standard input or of a file to a topic',
    load: () => import('./commands/produce.ts'),
  },
  { name: 'consume', summary: 'print the records of a topic', load: () => import('./commands/consume.ts') },
  { name: 'offsets', summary: 'print first, last or by-time offsets of partitions', load: () => import('./commands/offsets.ts') },
  {
    name: 'groups',
    summary: 'consumer groups: members, lag, what holds them up; move and delete offsets',
    load: () => import('./commands/groups.ts'),
  },
  {
    name: 'transactions',
    summary: 'transactional ids, producers and hanging transactions: list, describe, find, abort',
    load: () => import('./commands/transactions.ts'),
  },
  { name: 'records', summary: 'delete the oldest records of a topic', load: () => import('./commands/records.ts') },
  {
    name: 'cluster',
    summary: 'brokers, quorum, directories, features and API versions',
    load: () => import('./commands/cluster.ts'),
  },
  { name: 'bench', summary: 'measure producing, consuming and end-to-end latency', load: () => import('./commands/bench.ts') },
  { name: 'storage', summary: 'format data directories and look at their identity', load: () => import('./commands/storage.ts') },
  { name: 'dump-log', summary: 'print segment, index and snapshot files', load: () => import('./commands/dump-log.ts') },
];
