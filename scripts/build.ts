import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'tsdown';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');

/**
 * Plain JavaScript in dist: the command line and the library, in chunks, so that a command loads little more than it needs.
 * No source maps: the package holds no sources for them to point to.
 */
async function buildCode(): Promise<void> {
  await build({
    cwd: root,
    entry: { 'cli/main': 'src/cli/main.ts', 'protocol/index': 'src/protocol/index.ts' },
    outDir: 'dist',
    format: 'esm',
    platform: 'node',
    target: 'node24',
    fixedExtension: false,
    dts: false,
    sourcemap: false,
    clean: true,
    report: false,
    outputOptions: { chunkFileNames: 'chunks/[name]-[hash].js' },
    logLevel: 'warn',
  });
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
