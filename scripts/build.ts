import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');
const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { dependencies: Record<string, string> };

/**
 * Plain JavaScript in dist: the command line and the library, in chunks, so that a command loads little more than it needs.
 * No source maps: the package holds no sources for them to point to.
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
  await bundle.write({ dir: dist, format: 'esm', chunkFileNames: 'chunks/[name]-[hash].js' });
  await bundle.close();
}

/** Types of the library. The compiler leaves the names of sources in them, which the package does not hold. */
function buildTypes(): void {
  execFileSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', 'tsconfig.build.json'], {
    cwd: root,
    stdio: 'inherit',
  });
  for (const name of readdirSync(dist, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.d.ts')) continue;
    const path = join(dist, name);
    writeFileSync(path, readFileSync(path, 'utf8').replaceAll(/((?:from |import\()["']\.[^"']*)\.ts(?=["'])/g, '$1.js'));
  }
}

await buildCode();
buildTypes();
