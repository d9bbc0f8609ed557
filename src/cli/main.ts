#!/usr/bin/env node
import * as modules from 'node:module';
import manifest from '../../package.json' with { type: 'json' };

// An older Node.js has to come as far as this line to be told so: nothing above it may be new.
const oldest = Number(manifest.engines.node.replace('>=', ''));
if (Number.parseInt(process.versions.node, 10) < oldest) {
  process.stderr.write(`error: Ottla takes Node.js ${oldest} or later, and this is ${process.versions.node}.\n`);
  process.exit(1);
}

// What was compiled is kept for the next time: everything that is loaded after this line.
modules.enableCompileCache();
const [{ runCommandLine }, { processTerminal }] = await Promise.all([import('./run-command-line.ts'), import('./terminal.ts')]);

process.exitCode = await runCommandLine(process.argv.slice(2), processTerminal());
