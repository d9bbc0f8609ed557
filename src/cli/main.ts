#!/usr/bin/env node
import { enableCompileCache } from 'node:module';

// What was compiled is kept for the next time: everything that is loaded after this line.
enableCompileCache();
const [{ runCommandLine }, { processTerminal }] = await Promise.all([import('./run-command-line.ts'), import('./terminal.ts')]);

process.exitCode = await runCommandLine(process.argv.slice(2), processTerminal());
