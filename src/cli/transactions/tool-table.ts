import type { Terminal } from '../terminal.ts';

/** Prints a table as kafka-transactions does: every cell as wide as the widest of its column, and a tab after each. */
export function printToolTable(terminal: Terminal, headers: readonly string[], rows: readonly (readonly string[])[]): void {
  const widths = headers.map((header, column) =>
    rows.reduce((widest, row) => Math.max(widest, (row[column] ?? '').length), header.length),
  );
  for (const row of [headers, ...rows])
    terminal.line(row.map((cell, column) => `${cell.padEnd(widths[column] ?? 0)}\t`).join(''));
}
