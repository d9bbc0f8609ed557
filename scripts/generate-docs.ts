import { writeFileSync } from 'node:fs';
import { generatedDocs } from './generated-docs.ts';

for (const [path, text] of generatedDocs()) {
  writeFileSync(new URL(`../${path}`, import.meta.url), text);
  console.log(`${path} ${text.split('\n').length} lines`);
}
