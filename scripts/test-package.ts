/**
 * Packs the package, installs the tarball into an empty project, as a stranger would, and looks whether it holds what it should
 * and runs. Run by `npm run test:package`.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
const START_TIMEOUT_MS = 15_000;

const run = (command: string, args: readonly string[], cwd: string): string =>
  execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });

interface Packed {
  readonly filename: string;
  readonly size: number;
  readonly files: readonly { readonly path: string }[];
}

function pack(into: string): string {
  const packed = firstOf(
    JSON.parse(run('npm', ['pack', '--json', '--silent', '--pack-destination', into], root)) as
      | Readonly<Record<string, Packed>>
      | readonly Packed[],
  );
  const paths = packed.files.map(({ path }) => path);
  const stray = paths.filter((path) => !/^(dist\/.+\.(js|d\.ts)|package\.json|README\.md|LICENSE|CHANGELOG\.md)$/.test(path));
  assert.deepEqual(stray, [], 'the tarball holds only what is built, the license and the pages');
  for (const path of ['dist/cli/main.js', 'dist/protocol/index.js', 'dist/protocol/index.d.ts', 'LICENSE'])
    assert.ok(paths.includes(path), path);
  console.log(`packed ${paths.length} files, ${Math.round(packed.size / 1024)} KiB`);
  return join(into, packed.filename);
}

/** npm 11 gives a list, later ones an object by package name. */
function firstOf(answer: Readonly<Record<string, Packed>> | readonly Packed[]): Packed {
  const [first] = Object.values(answer);
  assert.ok(first !== undefined);
  return first;
}

function install(tarball: string, project: string): void {
  writeFileSync(join(project, 'package.json'), '{ "name": "stranger", "private": true, "type": "module" }');
  run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--silent', tarball], project);
}

function checkCommands(project: string): void {
  const ottla = join(project, 'node_modules/.bin/ottla');
  assert.equal(run(ottla, ['--version'], project).trim(), version);
  assert.match(run(ottla, ['--help'], project), /start/);
  assert.match(run(ottla, ['topics', '--help'], project), /create/);
  console.log('ottla --version, --help and topics --help run');
}

function checkLibrary(project: string): void {
  const source = [
    "import { apis, apiVersions, decode, encode, errorNameOf } from 'ottla/protocol';",
    "const frame: Uint8Array = encode(apiVersions.request, 3, { clientSoftwareName: 'x', clientSoftwareVersion: '1' });",
    'const name: string = decode(apiVersions.request, 3, frame).clientSoftwareName;',
    'console.log(apis.length, name, errorNameOf(3));',
  ].join('\n');
  writeFileSync(join(project, 'use.ts'), source);
  assert.equal(run(process.execPath, ['use.ts'], project).trim().split(' ').slice(1).join(' '), 'x UNKNOWN_TOPIC_OR_PARTITION');
  const options = [
    '--noEmit',
    '--strict',
    '--module',
    'nodenext',
    '--target',
    'es2024',
    '--types',
    'node',
    '--typeRoots',
    join(root, 'node_modules/@types'),
  ];
  run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), ...options, 'use.ts'], project);
  console.log('ottla/protocol imports, runs and type-checks');
}

/** Starts a node on a free port and waits until a client of the same package has been answered. */
async function checkStart(project: string): Promise<void> {
  const ottla = join(project, 'node_modules/.bin/ottla');
  const started = performance.now();
  const node = spawn(ottla, ['start', '--port', '0', '--data', join(project, 'data')], {
    cwd: project,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const timer = setTimeout(() => node.kill('SIGKILL'), START_TIMEOUT_MS);
  try {
    const port = await readyPort(createInterface({ input: node.stdout }));
    console.log(`ottla start is ready after ${Math.round(performance.now() - started)} ms`);
    const server = ['--bootstrap-server', `127.0.0.1:${port}`];
    run(ottla, ['topics', 'create', 'greetings', ...server], project);
    assert.match(run(ottla, ['topics', 'list', ...server], project), /greetings/);
    console.log('a topic is created and listed');
  } finally {
    node.kill('SIGTERM');
    const [status] = node.exitCode === null ? await once(node, 'exit') : [node.exitCode];
    clearTimeout(timer);
    assert.equal(status, 0, 'ottla start stops in order when it is told to');
  }
}

async function readyPort(lines: AsyncIterable<string>): Promise<number> {
  for await (const line of lines) {
    const port = /:(\d+)\b(?!.*:\d)/.exec(line)?.[1];
    if (port !== undefined && /ready|listening/i.test(line)) return Number(port);
  }
  throw new Error('ottla start ended before it was ready');
}

const directory = mkdtempSync(join(tmpdir(), 'ottla-package-'));
try {
  install(pack(directory), directory);
  checkCommands(directory);
  checkLibrary(directory);
  await checkStart(directory);
} finally {
  rmSync(directory, { recursive: true, force: true });
}
