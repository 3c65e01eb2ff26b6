import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Clock } from '@berth/kit';

const PREFIX = 'berth-render-';
/** Age at which a folder belongs to a killed process; no job takes this long. */
const ABANDONED_MS = 3_600_000;

/** Creates a job folder, outside the data folder: the user id that opens the document must not have access there. */
export async function openJobFolder() {
  const folder = await mkdtemp(path.join(tmpdir(), PREFIX));
  return { path: folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}

/** Removes the folders of killed processes. */
export async function sweepJobFolders(clock: Clock): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    if (!name.startsWith(PREFIX)) continue;
    const folder = path.join(tmpdir(), name);
    const stats = await stat(folder).catch(() => undefined);
    if (!stats || stats.mtimeMs > clock.nowMs() - ABANDONED_MS) continue;
    // The folder may belong to another user, whose process removes it.
    await rm(folder, { recursive: true, force: true }).catch(() => {});
  }
}
