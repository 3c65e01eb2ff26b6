import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A fresh folder that goes with the scope that made it. */
export interface TemporaryFolder extends AsyncDisposable {
  readonly path: string;
}

export async function createTemporaryFolder(parent: string = tmpdir()): Promise<TemporaryFolder> {
  const path = await realpath(await mkdtemp(join(parent, 'berth-process-')));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}
