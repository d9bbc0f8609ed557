import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

/** Facts about Apache Kafka 4.4, kept gzipped in test/golden. */
export const readGolden = (name: string): unknown => {
  const bytes = readFileSync(new URL(`./golden/${name}`, import.meta.url));
  return JSON.parse((name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8'));
};
