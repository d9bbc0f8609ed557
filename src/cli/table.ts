import { stripVTControlCharacters } from 'node:util';

/** One column: its heading and how its cells stand. */
export interface Column {
  readonly title: string;
  readonly align?: 'left' | 'right';
}

const GAP = '  ';

/** Width on a terminal of text without wide characters; colours count nothing. */
const widthOf = (text: string): number => stripVTControlCharacters(text).length;

/** Aligned columns under headings, one string a line. The last column is not padded, so that no line ends in spaces. */
export function tableLines(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  heading: (title: string) => string = (title) => title,
): string[] {
  const widths = columns.map((column, index) => Math.max(column.title.length, ...rows.map((row) => widthOf(row[index] ?? ''))));
  const lineOf = (cells: readonly string[]): string =>
    columns
      .map((column, index) => {
        const cell = cells[index] ?? '';
        const padding = ' '.repeat(Math.max(0, (widths[index] ?? 0) - widthOf(cell)));
        if (column.align === 'right') return padding + cell;
        return index === columns.length - 1 ? cell : cell + padding;
      })
      .join(GAP)
      .trimEnd();
  return [lineOf(columns.map((column) => heading(column.title))), ...rows.map(lineOf)];
}
