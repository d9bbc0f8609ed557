import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { test } from 'node:test';
import { generatedDocs } from '../scripts/generated-docs.ts';
import { apis } from '../src/protocol/messages/index.ts';
import { codeOnly, filesUnder, findings, importsOf, root, type SourceFile } from './source-code.ts';

const TYPESCRIPT = /\.ts$/;
const LINES_MAX = 500;

const source = filesUnder(['src'], TYPESCRIPT);
const simulation = filesUnder(['simulation'], TYPESCRIPT);
const others = filesUnder(['test', 'scripts', 'bench'], TYPESCRIPT);
const pages = filesUnder(['docs', 'scripts', 'tools'], /\.(md|sh|json)$/);
const rootPages = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'package.json', '.ci/run', '.npmrc'].map(
  (path): SourceFile => ({ path, text: readFileSync(join(root, path), 'utf8') }),
);
const everything = [...source, ...simulation, ...others, ...pages, ...rootPages];

const folderOf = ({ path }: SourceFile): string => path.split('/')[1] ?? '';

/** The layer table of ARCHITECTURE.md: folder → folders it may import. */
const layers: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  [...readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8').matchAll(/^\| (?!folder)([a-z]+) \|([a-z ]*)\|$/gm)].map(
    ([, folder = '', below = '']) => [folder, new Set(below.split(' ').filter((name) => name !== ''))],
  ),
);

/** Commands that work on a data directory instead of asking a broker. */
const doors: ReadonlySet<string> = new Set(['start', 'storage', 'dump-log'].map((command) => `src/cli/commands/${command}.ts`));

test('the layer table names every folder of the source, and only downward', () => {
  const folders = new Set(source.map(folderOf));
  assert.deepEqual(
    [...folders].filter((folder) => !layers.has(folder)),
    [],
  );
  const seen = new Set<string>();
  for (const [folder, below] of layers) {
    assert.deepEqual(
      [...below].filter((name) => !seen.has(name)),
      [],
      `${folder} may import what stands above it in the table`,
    );
    seen.add(folder);
  }
});

test('every import goes down, as the layer table says', () => {
  const wrong = source.flatMap((file) => {
    const allowed = layers.get(folderOf(file)) ?? new Set();
    return importsOf(file).flatMap((specifier) => {
      if (!specifier.startsWith('.')) return [];
      const target = posix.normalize(posix.join(posix.dirname(file.path), specifier));
      if (target === 'package.json') return [];
      const folder = target.split('/')[1] ?? '';
      const isInside = target.startsWith('src/') && (folder === folderOf(file) || allowed.has(folder));
      const isDoor = doors.has(file.path) && (folder === 'server' || (layers.get('server')?.has(folder) ?? false));
      return isInside || isDoor ? [] : [`${file.path} imports ${target}`];
    });
  });
  assert.deepEqual(wrong, []);
});

test('only the platform touches the disk, the network and other processes', () => {
  const banned =
    /^(node:)?(fs|fs\/promises|net|tls|dgram|dns|http|https|http2|child_process|worker_threads|cluster|timers.*|os)$/;
  const wrong = [...source, ...simulation]
    .filter((file) => folderOf(file) !== 'platform')
    .flatMap((file) =>
      importsOf(file).flatMap((specifier) => (banned.test(specifier) ? [`${file.path} imports ${specifier}`] : [])),
    );
  assert.deepEqual(wrong, []);
});

test('only the platform knows the time, rolls dice and starts timers', () => {
  const banned = new RegExp(
    [
      String.raw`\bDate\.now\b`,
      String.raw`\bnew Date\(\)`,
      String.raw`\bperformance\.now\b`,
      String.raw`\bMath\.random\b`,
      String.raw`(?<![.\w#])(setTimeout|setInterval|setImmediate)\s*\(`,
      String.raw`(?<![.\w#])(randomBytes|randomUUID|randomInt|getRandomValues)\s*\(`,
    ].join('|'),
  );
  // The simulation's scheduler lets promises settle between two events; only the real event loop can tell when they have.
  const files = [...source, ...simulation.filter(({ path }) => path !== 'simulation/scheduler.ts')];
  assert.deepEqual(uses(files, banned, ['platform']), []);
});

test('only the platform and the command line know their process', () => {
  assert.deepEqual(uses([...source, ...simulation], /(?<![.\w$#])process\s*[.[]/, ['platform', 'cli']), []);
});

/** Where code outside of some folders uses something. */
function uses(files: readonly SourceFile[], banned: RegExp, except: readonly string[]): string[] {
  return files
    .filter((file) => !except.includes(folderOf(file)))
    .flatMap((file) => findings({ path: file.path, text: codeOnly(file.text) }, banned));
}

test('a file is short enough to be seen as one idea', () => {
  const long = [...source, ...simulation, ...others]
    .map(({ path, text }) => ({ path, lines: text.split('\n').length - 1 }))
    .filter(({ lines }) => lines > LINES_MAX);
  assert.deepEqual(long, []);
});

test('a file is named after its idea, in kebab case', () => {
  const vague = /(^|[/-])(utils?|helpers?|common|misc|shared)(?=[-./]|$)/;
  const paths = [...source, ...simulation, ...others].map(({ path }) => path);
  assert.deepEqual(
    paths.filter((path) => vague.test(path)),
    [],
  );
  assert.deepEqual(
    paths.filter((path) => !/^([a-z0-9-]+\/)+[a-z0-9.-]+$/.test(path)),
    [],
  );
});

test('nothing is left over: no notes to oneself, no checks switched off, no printing outside of the command line', () => {
  const code = [...source, ...simulation, ...others];
  const notes = new RegExp(`\\b(${['TO', 'FIX', 'X'].map((word, index) => word + ['DO', 'ME', 'XX'][index]).join('|')})\\b`);
  assert.deepEqual(
    code.flatMap((file) => findings(file, notes)),
    [],
  );
  // A rule of the linter may be switched off for one line, with a reason behind ` -- `.
  const switches = /@ts-(?:ignore|nocheck)\b|(?:oxlint|eslint|biome)-(?:disable|ignore)(?!.* -- .)/;
  assert.deepEqual(
    code.filter(({ path }) => path !== 'test/tidy.test.ts').flatMap((file) => findings(file, switches)),
    [],
  );
  assert.deepEqual(
    source.flatMap((file) => findings(file, /@ts-expect-error/)),
    [],
  );
  const switchedOff = /\b(test|it|describe|suite)\.(only|skip|todo)\b|\{ *(only|skip|todo): *true/;
  assert.deepEqual(uses(code, switchedOff, []), []);
  assert.deepEqual(uses(source, /\bconsole\.|\bdebugger\b/, ['cli']), []);
});

test('tests wait for events, not for time', () => {
  const sleeping = /\bsetTimeout\(\s*(resolve|done|r)\b|\bsleep\(|timers\/promises/;
  // A recorder asks a running Kafka for golden data, by hand; it is no test.
  const isTest = ({ path }: SourceFile): boolean => path.startsWith('test/') && !/(^test\/tidy\.test|\/record)\.ts$/.test(path);
  assert.deepEqual(
    others.filter(isTest).flatMap((file) => findings(file, sleeping)),
    [],
  );
});

test('no page or file knows the machine it was written on, or where packages come from', () => {
  const path = new RegExp(`(^|[^A-Za-z0-9_./-])/(${['work', 'farm', 'root', 'home'].join('|')})/[A-Za-z0-9_.]+`);
  const registry = new RegExp(`https?://[^ ]*(${['registry', 'npmjs', 'maven', 'pypi', 'artifact'].join('|')})`);
  assert.deepEqual(
    everything.flatMap((file) => [...findings(file, path), ...findings(file, registry)]),
    [],
  );
  const lock = readFileSync(join(root, 'package-lock.json'), 'utf8');
  assert.deepEqual(lock.match(/"resolved": "https?:/g), null);
});

test('pages point to pages and files that exist', () => {
  const markdown = [...pages, ...rootPages].filter(({ path }) => path.endsWith('.md'));
  const broken = markdown.flatMap(({ path, text }) =>
    [...text.matchAll(/\]\(([^)#\s]+)[^)]*\)/g)].flatMap(([, target = '']) => {
      const isElsewhere = /^[a-z]+:/.test(target);
      return isElsewhere || existsSync(join(root, posix.dirname(path), target)) ? [] : [`${path} points to ${target}`];
    }),
  );
  assert.deepEqual(broken, []);
});

test('the generated pages are what the tables say today (npm run docs)', () => {
  for (const [path, text] of generatedDocs())
    assert.equal(readFileSync(join(root, path), 'utf8'), text, `${path} is out of date`);
});

/** Files named after the key of their API: `src/protocol/messages/00-produce.ts`. */
const numbered = (folder: string): (readonly [key: number, name: string])[] =>
  source.flatMap(({ path }) => {
    const match = new RegExp(`^src/${folder}/(\\d+)-([a-z-]+)\\.ts$`).exec(path);
    return match === null ? [] : [[Number(match[1]), match[2] ?? ''] as const];
  });

test('an API has one file of messages, named after it', () => {
  const kebab = (name: string): string => name.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, '-').toLowerCase();
  const named = apis.map(({ key, name }) => [key, kebab(name)] as const);
  assert.deepEqual(
    numbered('protocol/messages').toSorted(([a], [b]) => a - b),
    named.toSorted(([a], [b]) => a - b),
  );
});

test('an API has at most one handler, in a file of the same name as its messages', () => {
  const messages = new Map(numbered('protocol/messages'));
  const handlers = numbered('broker/handlers');
  assert.deepEqual(
    handlers.filter(([key, name]) => messages.get(key) !== name),
    [],
  );
  assert.equal(new Set(handlers.map(([key]) => key)).size, handlers.length);
});
