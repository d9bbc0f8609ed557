import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the repository. */
export const root: string = fileURLToPath(new URL('..', import.meta.url));

/** A text file of the repository: its path from the root, with slashes, and what it says. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

const ignored: ReadonlySet<string> = new Set(['node_modules', 'dist', 'golden', '.git', '.ottla', 'data', 'coverage']);

/** All files under some folders (or the files themselves) whose names end so. */
export function filesUnder(places: readonly string[], ending: RegExp): SourceFile[] {
  return places
    .flatMap((place) => pathsUnder(join(root, place)))
    .flatMap((path) => {
      if (!ending.test(path)) return [];
      return [{ path: relative(root, path).split(sep).join('/'), text: readFileSync(path, 'utf8') }];
    });
}

function pathsUnder(directory: string): string[] {
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    if (ignored.has(entry.name)) return [];
    const path = join(directory, entry.name);
    return entry.isDirectory() ? pathsUnder(path) : [path];
  });
}

/** What a file imports: `./x.ts`, `node:fs`, `commander` …, statically or not, types included. */
export const importsOf = ({ text }: SourceFile): string[] =>
  [
    ...text.matchAll(
      /(?:^|[;\n])\s*(?:import|export)\s[^'";]*?from\s*'([^']+)'|(?:^|[;\n])\s*import\s*'([^']+)'|\bimport\(\s*'([^']+)'/g,
    ),
  ].map(([, from, bare, dynamic]) => from ?? bare ?? dynamic ?? '');

/**
 * The code without its words: comments, strings, the text of templates and regular expressions become blanks, lines stay lines.
 * So a name that is found is a name that is used.
 */
export function codeOnly(text: string): string {
  let code = '';
  let last = '';
  const templates: number[] = [];
  let depth = 0;
  for (let at = 0; at < text.length; ) {
    const closesTemplate = text[at] === '}' && templates.at(-1) === depth;
    const word = closesTemplate ? templateFrom(text, at) : wordAt(text, at, last);
    if (closesTemplate) templates.pop();
    if (word === '') {
      const char = text[at] ?? '';
      if (char === '{') depth++;
      if (char === '}') depth--;
      if (char.trim() !== '') last = char;
      code += char;
      at++;
      continue;
    }
    if ((word.startsWith('`') || closesTemplate) && word.endsWith('${')) templates.push(depth);
    if (!word.startsWith('/')) last = "'";
    code += word.replaceAll(/[^\n]/g, ' ');
    at += word.length;
  }
  return code;
}

/** The comment, string, template part or regular expression that starts here, or nothing. */
function wordAt(text: string, at: number, last: string): string {
  const rest = text.slice(at, at + 2);
  if (rest === '//') return text.slice(at, endOr(text.indexOf('\n', at), text));
  if (rest === '/*') return text.slice(at, endOr(text.indexOf('*/', at + 2), text) + 2);
  if (text[at] === '`') return templateFrom(text, at);
  if (text[at] === "'" || text[at] === '"') return match(/(['"])(?:\\.|(?!\1)[^\\\n])*\1/y, text, at);
  if (text[at] === '/' && '(,=:[!&|?{};+>'.includes(last))
    return match(/\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*/y, text, at);
  return '';
}

/** From a backtick, or the brace that ends a substitution, to the next backtick or substitution. */
const templateFrom = (text: string, at: number): string => match(/[`}](?:\\[^]|\$(?!\{)|[^`\\$])*(?:`|\$\{)/y, text, at);

function match(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? '';
}

const endOr = (index: number, text: string): number => (index === -1 ? text.length : index);

/** Where a pattern is found, as `path:line: what`. */
export function findings({ path, text }: SourceFile, pattern: RegExp): string[] {
  return text.split('\n').flatMap((line, index) => {
    const found = line.match(pattern);
    return found === null ? [] : [`${path}:${index + 1}: ${found[0].trim()}`];
  });
}
