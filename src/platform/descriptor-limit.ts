import * as fs from 'node:fs';

let known: number | undefined;

/** How many files and sockets this process may have open; infinite where the system does not say. Node.js has raised it as far as it may. */
export function descriptorLimit(): number {
  known ??= readLimit();
  return known;
}

function readLimit(): number {
  try {
    const limits = fs.readFileSync('/proc/self/limits', 'utf8');
    return Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1] ?? Number.POSITIVE_INFINITY);
  } catch {
    // Not Linux.
    return Number.POSITIVE_INFINITY;
  }
}
