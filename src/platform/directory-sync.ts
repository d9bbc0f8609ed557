import * as fs from 'node:fs';

/** The syncs of one directory: whoever comes while one is under way shares the next. */
interface Syncs {
  running: Promise<void>;
  next: Promise<void> | null;
}

const byPath = new Map<string, Syncs>();

/** Makes the names in a directory durable off the event loop. Many who ask at once cost two syncs. Rejects with the system's error. */
export function syncDirectoryShared(path: string): Promise<void> {
  const syncs = byPath.get(path);
  if (syncs === undefined) return begin(path);
  syncs.next ??= syncs.running.catch(() => undefined).then(() => begin(path));
  return syncs.next;
}

function begin(path: string): Promise<void> {
  const syncs: Syncs = { running: syncOnce(path), next: null };
  byPath.set(path, syncs);
  const ended = (): void => {
    if (syncs.next === null) byPath.delete(path);
  };
  syncs.running.then(ended, ended);
  return syncs.running;
}

async function syncOnce(path: string): Promise<void> {
  const handle = await fs.promises.open(path, fs.constants.O_RDONLY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
