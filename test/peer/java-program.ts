import { execFile } from 'node:child_process';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** The jars of Apache Kafka 4.4. */
const library = process.env['KAFKA_LIB'] ?? join(homedir(), '.cache/ottla-peer/lib');

const OUTPUT_BYTES_MAX = 2 ** 30;

/** The JSON values that a program of test/peer/java prints, one a line. */
export function runJava(name: string, programArguments: readonly string[], input = ''): Promise<unknown[]> {
  const program = join(import.meta.dirname, 'java', `${name}.java`);
  return new Promise((resolve, reject) => {
    const child = execFile(
      'java',
      ['-cp', `${library}/*`, program, ...programArguments],
      { maxBuffer: OUTPUT_BYTES_MAX },
      (error, stdout) => {
        if (error !== null) reject(error);
        else resolve(stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as unknown])));
      },
    );
    child.stdin?.end(input);
  });
}
