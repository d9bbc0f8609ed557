import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { takeLockFile } from '../../src/platform/lock-file.ts';
import { cLibrary } from '../../src/platform/native/c-library.ts';

const source = new URL('../../src/platform/lock-file.ts', import.meta.url).href;

/** A process that takes the lock and waits, and with `--permission` has no C library to lock with. */
async function holder(path: string, ...flags: string[]) {
  const script = `const { takeLockFile } = await import(${JSON.stringify(source)});
    console.log(takeLockFile(${JSON.stringify(path)}) === null ? 'refused' : 'held'); process.stdin.resume();`;
  const child = spawn(process.execPath, [...flags, '--input-type=module-typescript', '-e', script], {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  const [said] = await once(child.stdout.setEncoding('utf8'), 'data');
  const kill = async () => {
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
  return { said: String(said).trim(), kill, stderr: () => errors };
}

const WITHOUT_C_LIBRARY = ['--permission', '--allow-fs-read=*', '--allow-fs-write=*'];

describe('the lock file', () => {
  let directory = '';
  let path = '';
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'ottla-lock-'));
    path = join(directory, '.lock');
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  for (const [kind, flags] of [
    ['with', []],
    ['without', WITHOUT_C_LIBRARY],
  ] as const) {
    it(`is refused while another process lives that took it ${kind} the C library, and free once it was killed`, async () => {
      const other = await holder(path, ...flags);
      assert.equal(other.said, 'held', other.stderr());
      assert.equal(takeLockFile(path), null);
      const third = await holder(path, ...WITHOUT_C_LIBRARY);
      assert.equal(third.said, 'refused', third.stderr());
      await third.kill();
      await other.kill();
      const lock = takeLockFile(path);
      assert.ok(lock);
      lock.release();
      assert.equal(other.stderr(), '', 'nothing is printed about experimental features');
    });
  }

  it('is free although an empty one is there, as a killed Apache Kafka leaves it', () => {
    writeFileSync(path, '');
    takeLockFile(path)?.release();
    writeFileSync(path, 'not a process');
    const lock = takeLockFile(path);
    assert.ok(lock);
    assert.match(readFileSync(path, 'utf8'), new RegExp(`^${process.pid}\\b`));
    lock.release();
  });

  it('is free although it names a number that another process got since', () => {
    writeFileSync(path, `${process.ppid} 1 00000000-0000-0000-0000-000000000000`);
    const lock = takeLockFile(path);
    assert.equal(lock !== null, process.platform === 'linux');
    lock?.release();
  });

  it('makes its whole file system durable, and says so where a directory lies elsewhere or is gone', () => {
    const lock = takeLockFile(path);
    assert.ok(lock !== null);
    assert.equal(lock.syncFileSystem([directory]), typeof cLibrary()?.syncFileSystem === 'function');
    for (const elsewhere of ['/proc', join(directory, 'gone')]) assert.equal(lock.syncFileSystem([directory, elsewhere]), false);
    lock.release();
  });

  it('is one lock by whatever name its directory is reached', () => {
    const link = `${directory}-link`;
    symlinkSync(directory, link);
    try {
      const lock = takeLockFile(path);
      assert.ok(lock);
      assert.equal(takeLockFile(join(link, '.lock')), null);
      lock.release();
    } finally {
      rmSync(link);
    }
  });
});
