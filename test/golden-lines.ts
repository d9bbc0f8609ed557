import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

/** The JSON values of a gzipped file in test/golden that has one on each line. */
export const readGoldenLines = (name: string): unknown[] =>
  gunzipSync(readFileSync(new URL(`./golden/${name}`, import.meta.url)))
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as unknown);
