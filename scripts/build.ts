import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');
const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { dependencies: Record<string, string> };

/** What is not Latin-1, and would make two bytes of every character of a file in memory. */
const wideCharacters = /[\u0100-\uffff]/g;

/**
 * Plain JavaScript in dist: the command line and the library, in chunks, so that a command loads little more than it needs.
 * No source maps: the package holds no sources for them to point to. No comments either: V8 keeps the text in memory.
 */
async function buildCode(): Promise<void> {
  rmSync(dist, { recursive: true, force: true });
  const bundle = await rolldown({
    cwd: root,
    input: { 'cli/main': 'src/cli/main.ts', 'protocol/index': 'src/protocol/index.ts' },
    platform: 'node',
    external: Object.keys(dependencies),
    tsconfig: false,
  });
  await bundle.write({ dir: dist, format: 'esm', comments: false, chunkFileNames: 'chunks/[name]-[hash].js' });
  await bundle.close();
  for (const path of files('.js')) {
    const escape = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
    writeFileSync(path, readFileSync(path, 'utf8').replaceAll(wideCharacters, escape));
  }
}

/** The built files with this ending. */
function files(ending: string): string[] {
  const names = readdirSync(dist, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => name.endsWith(ending)).map((name) => join(dist, name));
}

/** Types of the library. The compiler leaves the names of sources in them, which the package does not hold. */
function buildTypes(): void {
  execFileSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', 'tsconfig.build.json'], {
    cwd: root,
    stdio: 'inherit',
  });
  for (const path of files('.d.ts')) {
    writeFileSync(path, readFileSync(path, 'utf8').replaceAll(/((?:from |import\()["']\.[^"']*)\.ts(?=["'])/g, '$1.js'));
  }
}

await buildCode();
buildTypes();
