import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Clock } from '@berth/kit';

/** A folder for one job, which goes with it. */
export interface JobFolder extends AsyncDisposable {
  /** Absolute. */
  readonly path: string;
}

const PREFIX = 'berth-render-';
/** No job takes so long: it is of a process that was killed. */
const ABANDONED_MS = 3_600_000;

/** Not in the data folder: who a document is opened as may not come through there. */
export async function openJobFolder(): Promise<JobFolder> {
  const folder = await mkdtemp(path.join(tmpdir(), PREFIX));
  return { path: folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}

/** Removes what killed processes left. */
export async function sweepJobFolders(clock: Clock): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    if (!name.startsWith(PREFIX)) continue;
    const folder = path.join(tmpdir(), name);
    const stats = await stat(folder).catch(() => undefined);
    if (!stats || stats.mtimeMs > clock.nowMs() - ABANDONED_MS) continue;
    // It may be another user's, who removes it.
    await rm(folder, { recursive: true, force: true }).catch(() => {});
  }
}
