import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Removal is retried, because a builder may still write to its caches in the background. */
const CLEANUP = { recursive: true, force: true, maxRetries: 20, retryDelay: 20 };

/** A new folder that is removed on disposal. */
export interface TemporaryFolder extends AsyncDisposable {
  readonly path: string;
}

/** Creates a temporary folder. */
export async function createTemporaryFolder(): Promise<TemporaryFolder> {
  const path = await realpath(await mkdtemp(join(tmpdir(), 'berth-builder-')));
  return { path, [Symbol.asyncDispose]: () => rm(path, CLEANUP) };
}
