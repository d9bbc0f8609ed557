import assert from 'node:assert/strict';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { WireClient } from '../conformance/wire-client.ts';
import { makeTopic, append, readTexts } from './node-client.ts';
import { temporaryDirectory } from './temporary-directory.ts';
import { startTestNode, type TestNode } from './test-node.ts';

const PARTITIONS = 4;

/** What is done to the directories of a node that was stopped in order. */
interface Damage {
  readonly root: string;
  readonly remove: (path: string) => void;
  /** Replaces lines of a meta.properties; null takes them away. */
  readonly edit: (directory: 'a' | 'b', name: string, value: string | null) => void;
}

type Case = readonly [what: string, damage: (directories: Damage) => void, outcome: RegExp | 'starts'];

describe('a node that finds in its log directories', () => {
  let root = '';
  let topicId = '';
  const endings: (() => void)[] = [];

  const start = (directory: string): Promise<TestNode> =>
    startTestNode({ directory, properties: { 'log.dirs': `${join(directory, 'a')},${join(directory, 'b')}` } });

  before(async () => {
    root = temporaryDirectory({ after: (ending) => endings.push(ending as () => void) });
    const node = await start(root);
    const client = await WireClient.open(node.port);
    topicId = await makeTopic(client, 'kept', PARTITIONS);
    for (let index = 0; index < PARTITIONS; index++) await append(client, topicId, [`of ${index}`], index);
    client.close();
    await node.stop();
  });
  after(() => {
    for (const ending of endings) ending();
  });

  const damageOf = (directory: string): Damage => ({
    root: directory,
    remove: (path) => rmSync(join(directory, path), { recursive: true }),
    edit: (which, name, value) => {
      const path = join(directory, which, 'meta.properties');
      const lines = readFileSync(path, 'utf8').split('\n');
      const kept = lines.filter((line) => !line.startsWith(`${name}=`));
      writeFileSync(path, [...kept, ...(value === null ? [] : [`${name}=${value}`])].join('\n'));
    },
  });

  const cases: readonly Case[] = [
    [
      'no meta.properties, with a metadata log',
      ({ remove }) => ['a', 'b'].forEach((d) => remove(`${d}/meta.properties`)),
      /No meta\.properties found in .*\/a, although there are logs.*Put it back/,
    ],
    [
      'none where the metadata log is',
      ({ remove }) => remove('a/meta.properties'),
      /No meta\.properties found in .*\/a, although there are logs/,
    ],
    [
      'none beside logs of topics',
      ({ remove }) => remove('b/meta.properties'),
      /No meta\.properties found in .*\/b, although there are logs/,
    ],
    [
      'one of them empty',
      ({ remove, root: at }) => (remove('b'), mkdirSync(join(at, 'b'))),
      /No meta\.properties found in .*\/b, although other/,
    ],
    ['one of them gone', ({ remove }) => remove('b'), /No meta\.properties found in .*\/b, although other/],
    ['that of the metadata log gone', ({ remove }) => remove('a'), /is to hold the metadata log of cluster/],
    ['no metadata log', ({ remove }) => remove('a/__cluster_metadata-0'), /The metadata log .* is missing/],
    [
      'another cluster',
      ({ edit }) => edit('b', 'cluster.id', 'AAAAAAAAAAAAAAAAAAAAAQ'),
      /b belongs to cluster AAAAAAAAAAAAAAAAAAAAAQ, but .*\/a to/,
    ],
    ['another node', ({ edit }) => edit('b', 'node.id', '7'), /b belongs to node 7, not to node 1/],
    [
      'one id twice',
      ({ root: at }) => cpSync(join(at, 'a/meta.properties'), join(at, 'b/meta.properties')),
      /have the same directory id/,
    ],
    ['a version that is not known', ({ edit }) => edit('b', 'version', '2'), /not readable: its version 2 is not known/],
    ['no version', ({ edit }) => edit('b', 'version', null), /not readable: it has no version/],
    ['no cluster id', ({ edit }) => edit('b', 'cluster.id', null), /not readable: it has no cluster\.id/],
    ['no node id', ({ edit }) => edit('b', 'node.id', null), /not readable: it has no node\.id/],
    ['an id that is none', ({ edit }) => edit('b', 'directory.id', 'x'), /not readable: its directory\.id x is no id/],
    [
      'an id with a meaning',
      ({ edit }) => edit('b', 'directory.id', 'AAAAAAAAAAAAAAAAAAAAAA'),
      /not readable: its directory\.id/,
    ],
    ['no id where the metadata log is', ({ edit }) => edit('a', 'directory.id', null), 'starts'],
    [
      'a version of the days of ZooKeeper',
      ({ edit }) => (edit('a', 'version', '0'), edit('a', 'node.id', null), edit('a', 'broker.id', '1')),
      'starts',
    ],
    ['what it left', () => undefined, 'starts'],
  ];

  for (const [what, damage, outcome] of cases) {
    it(`${what}: ${outcome === 'starts' ? 'starts with all its records' : 'does not start, and changes nothing'}`, async (t) => {
      const directory = temporaryDirectory(t);
      cpSync(root, directory, { recursive: true });
      damage(damageOf(directory));
      if (outcome !== 'starts') {
        await assert.rejects(start(directory), outcome);
        await assert.rejects(start(directory), outcome, 'the next start finds the same');
        return;
      }
      const node = await start(directory);
      const client = await WireClient.open(node.port);
      for (let index = 0; index < PARTITIONS; index++) assert.deepEqual(await readTexts(client, topicId, index), [`of ${index}`]);
      client.close();
      await node.stop();
      for (const each of ['a', 'b'])
        assert.match(readFileSync(join(directory, each, 'meta.properties'), 'utf8'), /^directory\.id=[\w-]{22}$/m);
    });
  }
});
