import type { Command } from 'commander';
import { brokerFeatures, describeCluster, describeLogDirs, describeQuorum } from '../../client/admin-cluster.ts';
import type { Client } from '../../client/client.ts';
import { apiByKey } from '../../protocol/messages/index.ts';
import { addClusterOptions, type ClusterOptions, withClient } from '../cluster-option.ts';
import { wholeNumber } from '../option-values.ts';
import { type Column, tableLines } from '../table.ts';
import type { Terminal } from '../terminal.ts';
import { bytesText } from '../wording.ts';

interface BrokerOption extends ClusterOptions {
  readonly broker?: number;
}

export function define(command: Command, terminal: Terminal): void {
  command.helpCommand(false);
  const add = (name: string, summary: string, print: (client: Client, options: BrokerOption) => Promise<void>): Command =>
    addClusterOptions(command.command(name).summary(summary).description(`Shows ${summary}.`)).action((options: BrokerOption) =>
      withClient(options, (client) => print(client, options)),
    );
  const show = new ClusterPrinter(terminal);
  add('describe', 'the brokers and who they are', (client, options) => show.brokers(client, options));
  add('quorum', 'the state of the metadata quorum', (client, options) => show.quorum(client, options));
  add('log-dirs', 'log directories and what lies in them', (client, options) => show.logDirs(client, options)).option(
    '--broker <id>',
    'only of this broker',
    wholeNumber(0),
  );
  add('features', 'features and their levels', (client, options) => show.features(client, options));
  add('api-versions', 'the APIs that a broker answers', (client, options) => show.apiVersions(client, options)).option(
    '--broker <id>',
    'of this broker (default: any)',
    wholeNumber(0),
  );
}

class ClusterPrinter {
  readonly #terminal: Terminal;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  async brokers(client: Client, options: ClusterOptions): Promise<void> {
    const cluster = await describeCluster(client, { includeFenced: true });
    if (options.json === true) {
      this.#json(cluster);
      return;
    }
    this.#terminal.line(`Cluster ${cluster.clusterId}`);
    const rows = cluster.brokers.map(({ id, host, port, rack, isFenced }) => [
      String(id),
      `${host}:${port}`,
      rack ?? '-',
      isFenced ? this.#terminal.style('yellow', 'fenced') : 'up',
    ]);
    this.#table([{ title: 'BROKER', align: 'right' }, { title: 'ADDRESS' }, { title: 'RACK' }, { title: 'STATE' }], rows);
  }

  async quorum(client: Client, options: ClusterOptions): Promise<void> {
    const quorum = await describeQuorum(client);
    if (options.json === true) {
      this.#json(quorum);
      return;
    }
    const { leaderId, leaderEpoch, highWatermark } = quorum;
    this.#terminal.line(`Leader ${leaderId}, epoch ${leaderEpoch}, high watermark ${highWatermark}`);
    const end = Math.max(...quorum.voters.map((voter) => voter.logEndOffset));
    const rows = [
      ...quorum.voters.map((replica) => ({ replica, role: replica.replicaId === leaderId ? 'leader' : 'follower' })),
      ...quorum.observers.map((replica) => ({ replica, role: 'observer' })),
    ].map(({ replica, role }) => [
      String(replica.replicaId),
      role,
      replica.replicaDirectoryId,
      String(replica.logEndOffset),
      String(Math.max(0, end - replica.logEndOffset)),
    ]);
    this.#table(
      [
        { title: 'NODE', align: 'right' },
        { title: 'ROLE' },
        { title: 'DIRECTORY' },
        { title: 'LOG END', align: 'right' },
        { title: 'LAG', align: 'right' },
      ],
      rows,
    );
  }

  async logDirs(client: Client, options: BrokerOption): Promise<void> {
    const directories = await describeLogDirs(client, options.broker === undefined ? undefined : [options.broker]);
    if (options.json === true) {
      this.#json(directories.map((directory) => ({ ...directory, error: directory.error?.errorName ?? null })));
      return;
    }
    for (const [index, { broker, path, error, totalBytes, usableBytes, replicas }] of directories.entries()) {
      if (index > 0) this.#terminal.line('');
      const space = totalBytes < 0 ? '' : `, ${bytesText(usableBytes)} of ${bytesText(totalBytes)} free`;
      const state = error === null ? '' : this.#terminal.style('red', `, offline: ${error.message}`);
      this.#terminal.line(`${this.#terminal.style('bold', path)}  broker ${broker}${space}${state}`);
      const rows = replicas.map(({ topic, partition, size, offsetLag }) => [
        `${topic}-${partition}`,
        bytesText(size),
        String(offsetLag),
      ]);
      this.#table(
        [{ title: 'PARTITION' }, { title: 'SIZE', align: 'right' }, { title: 'LAG', align: 'right' }],
        rows.toSorted(byFirst),
      );
    }
  }

  async features(client: Client, options: ClusterOptions): Promise<void> {
    const { supported, finalized, finalizedEpoch } = await brokerFeatures(client);
    if (options.json === true) {
      this.#json({ supported: Object.fromEntries(supported), finalized: Object.fromEntries(finalized), finalizedEpoch });
      return;
    }
    const rows = [...supported].map(([name, { min, max }]) => [name, String(finalized.get(name) ?? 0), `${min} to ${max}`]);
    this.#table([{ title: 'FEATURE' }, { title: 'LEVEL', align: 'right' }, { title: 'SUPPORTED' }], rows.toSorted(byFirst));
  }

  async apiVersions(client: Client, options: BrokerOption): Promise<void> {
    const { versions } = await brokerFeatures(client, options.broker);
    const apis = [...versions].map(([key, { min, max }]) => ({ key, name: apiByKey(key)?.name ?? 'unknown', min, max }));
    if (options.json === true) {
      this.#json(apis);
      return;
    }
    this.#table(
      [{ title: 'KEY', align: 'right' }, { title: 'API' }, { title: 'VERSIONS' }],
      apis
        .toSorted((a, b) => a.key - b.key)
        .map(({ key, name, min, max }) => [String(key), name, min === max ? String(min) : `${min} to ${max}`]),
    );
  }

  #json(value: unknown): void {
    this.#terminal.line(JSON.stringify(value));
  }

  #table(columns: readonly Column[], rows: readonly (readonly string[])[]): void {
    for (const line of tableLines(columns, rows, (title) => this.#terminal.style('dim', title))) this.#terminal.line(line);
  }
}

const byFirst = ([a = '']: readonly string[], [b = '']: readonly string[]): number => a.localeCompare(b, 'en', { numeric: true });
