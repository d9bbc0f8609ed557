import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { DiskError } from '../../src/base/disk.ts';
import type { Disk } from '../../src/base/disk.ts';
import { nodeDisk } from '../../src/platform/node-disk.ts';
import { SimulatedDisk } from '../../simulation/simulated-disk.ts';

const real = mkdtempSync(join(tmpdir(), 'ottla-disk-'));
after(() => rmSync(real, { recursive: true, force: true }));

const disks: [string, Disk, string][] = [
  ['the computer’s disk', nodeDisk, real],
  ['the simulated disk', new SimulatedDisk(), '/data'],
];

const bytes = (text: string): Uint8Array => Buffer.from(text);

function text(disk: Disk, path: string): string {
  const file = disk.open(path, { readOnly: true });
  const target = Buffer.alloc(file.size());
  assert.equal(file.read(target, 0), target.length);
  file.close();
  return target.toString();
}

const isDiskError = (code: string) => (error: unknown) => error instanceof DiskError && error.code === code;

for (const [name, disk, root] of disks) {
  describe(name, () => {
    const fresh = (() => {
      let count = 0;
      return () => {
        const directory = `${root}/${count++}`;
        disk.makeDirectory(directory);
        return directory;
      };
    })();

    it('writes several chunks at a position and reads back what there is', () => {
      const directory = fresh();
      const file = disk.open(`${directory}/f`, { create: true });
      file.write([bytes('ab'), bytes(''), bytes('cde')], 3);
      assert.equal(file.size(), 8);
      const target = Buffer.alloc(16, 0xff);
      assert.equal(file.read(target, 0), 8);
      assert.equal(target.toString('latin1', 0, 8), '\0\0\0abcde');
      assert.equal(file.read(target, 8), 0);
      assert.equal(file.read(target, 100), 0);
      file.close();
    });

    it('writes more chunks than the system takes in one call', () => {
      const directory = fresh();
      const file = disk.open(`${directory}/f`, { create: true });
      const chunks = Array.from({ length: 3000 }, (_, at) => bytes(String(at % 10)));
      file.write(chunks, 0);
      file.close();
      assert.equal(text(disk, `${directory}/f`), chunks.map((chunk) => chunk.toString()).join(''));
    });

    it('reads off the event loop', async () => {
      const directory = fresh();
      const file = disk.open(`${directory}/f`, { create: true });
      file.write([bytes('hello')], 0);
      const target = Buffer.alloc(4);
      assert.equal(await file.readAsync(target, 1), 4);
      assert.equal(target.toString(), 'ello');
      file.close();
    });

    it('keeps the file for reads and syncs that are under way when it is closed', async () => {
      const directory = fresh();
      const file = disk.open(`${directory}/f`, { create: true });
      file.write([bytes('hello')], 0);
      const target = Buffer.alloc(5);
      const synced = file.sync();
      const other = file.sync();
      file.close();
      await Promise.all([synced, other]);
      const reopened = disk.open(`${directory}/f`);
      assert.equal(reopened.read(target, 0), 5);
      reopened.close();
    });

    it('truncates and extends with zeros', () => {
      const directory = fresh();
      const file = disk.open(`${directory}/f`, { create: true });
      file.write([bytes('hello')], 0);
      file.truncate(2);
      file.truncate(4);
      file.syncNow();
      file.close();
      assert.equal(text(disk, `${directory}/f`), 'he\0\0');
    });

    it('does not open a missing file and makes it when asked', () => {
      const directory = fresh();
      assert.throws(() => disk.open(`${directory}/f`), isDiskError('ENOENT'));
      disk.open(`${directory}/f`, { create: true }).close();
      assert.equal(disk.open(`${directory}/f`).size(), 0);
      assert.throws(() => disk.open(`${directory}/none/f`, { create: true }), isDiskError('ENOENT'));
    });

    it('lists names in order with their kinds', () => {
      const directory = fresh();
      disk.makeDirectory(`${directory}/b/c`);
      disk.open(`${directory}/a`, { create: true }).close();
      disk.open(`${directory}/c`, { create: true }).close();
      assert.deepEqual(disk.list(directory), [
        { name: 'a', kind: 'file' },
        { name: 'b', kind: 'directory' },
        { name: 'c', kind: 'file' },
      ]);
      assert.throws(() => disk.list(`${directory}/none`), isDiskError('ENOENT'));
    });

    it('syncs the names of a directory off the event loop, for many at once', async () => {
      const directory = fresh();
      disk.open(`${directory}/a`, { create: true }).close();
      await Promise.all(Array.from({ length: 5 }, () => disk.syncDirectoryLater(directory)));
      await disk.syncDirectoryLater(directory);
      await assert.rejects(disk.syncDirectoryLater(`${directory}/none`), isDiskError('ENOENT'));
    });

    it('replaces by rename, for files and directories', () => {
      const directory = fresh();
      const file = disk.open(`${directory}/a`, { create: true });
      file.write([bytes('new')], 0);
      disk.open(`${directory}/b`, { create: true }).close();
      disk.rename(`${directory}/a`, `${directory}/b`);
      disk.syncDirectory(directory);
      assert.equal(disk.exists(`${directory}/a`), false);
      assert.equal(text(disk, `${directory}/b`), 'new');
      disk.makeDirectory(`${directory}/p-0`);
      disk.open(`${directory}/p-0/log`, { create: true }).close();
      disk.rename(`${directory}/p-0`, `${directory}/p-0.x-delete`);
      assert.equal(disk.exists(`${directory}/p-0.x-delete/log`), true);
      assert.throws(() => disk.rename(`${directory}/none`, `${directory}/b`), isDiskError('ENOENT'));
      file.close();
    });

    it('still reads an open file that was removed', () => {
      const directory = fresh();
      const file = disk.open(`${directory}/f`, { create: true });
      file.write([bytes('here')], 0);
      disk.remove(`${directory}/f`);
      disk.remove(`${directory}/f`);
      const target = Buffer.alloc(4);
      assert.equal(file.read(target, 0), 4);
      assert.equal(disk.exists(`${directory}/f`), false);
      file.close();
    });

    it('removes a directory with all it holds', async () => {
      const directory = fresh();
      disk.makeDirectory(`${directory}/p/q`);
      disk.open(`${directory}/p/q/f`, { create: true }).close();
      await disk.removeDirectory(`${directory}/p`);
      await disk.removeDirectory(`${directory}/p`);
      assert.deepEqual(disk.list(directory), []);
    });

    it('gives a lock file to one holder at a time and removes it on release', () => {
      const directory = fresh();
      const lock = disk.lock(`${directory}/.lock`);
      assert.ok(lock);
      assert.equal(disk.lock(`${directory}/.lock`), null);
      lock.release();
      lock.release();
      assert.equal(disk.exists(`${directory}/.lock`), false);
      const again = disk.lock(`${directory}/.lock`);
      assert.ok(again);
      again.release();
    });

    it('knows the space of a directory that is still to be made', () => {
      const { totalBytes, usableBytes } = disk.space(`${root}/not/yet`);
      assert.ok(usableBytes > 0 && totalBytes >= usableBytes);
    });
  });
}
