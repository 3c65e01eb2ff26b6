import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A builder tidies its caches in the background: it may still add a file while the folder goes. */
const CLEANUP = { recursive: true, force: true, maxRetries: 20, retryDelay: 20 };

/** A fresh folder that goes with the scope that made it. */
export interface TemporaryFolder extends AsyncDisposable {
  readonly path: string;
}

export async function createTemporaryFolder(): Promise<TemporaryFolder> {
  const path = await realpath(await mkdtemp(join(tmpdir(), 'berth-builder-')));
  return { path, [Symbol.asyncDispose]: () => rm(path, CLEANUP) };
}
