import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codeOnly, importsOf } from './source-code.ts';

test('words of comments, strings, templates and regular expressions are not code', () => {
  const source = [
    "const a = 'process.exit'; // process.exit",
    'const b = `process.${process.pid} and ${`process.${c}`} process`; /* process.x',
    'process.y */ const d = /[/"]process."/.test(e) && "process.\\"z" + f / process.cwd().length / 2;',
  ].join('\n');
  const code = codeOnly(source);
  assert.equal(code.length, source.length);
  assert.deepEqual(code.match(/process\.\w+/g), ['process.pid', 'process.cwd']);
  assert.equal(code.split('\n').length, 3);
});

test('imports are found in all their forms', () => {
  const text = [
    "import a from './a.ts';",
    "import type { B } from './b.ts';",
    "import {\n  c,\n  d,\n} from './c.ts';",
    "export { e } from './e.ts';",
    "import './f.ts';",
    "const g = await import('./g.ts');",
    "const text = 'from here';",
  ].join('\n');
  assert.deepEqual(importsOf({ path: 'x.ts', text }), ['./a.ts', './b.ts', './c.ts', './e.ts', './f.ts', './g.ts']);
});
