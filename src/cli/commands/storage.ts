import type { Command } from 'commander';
import type { Terminal } from '../terminal.ts';

export function define(_command: Command, _terminal: Terminal): void {}
