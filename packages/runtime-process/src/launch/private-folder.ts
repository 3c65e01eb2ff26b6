import { execFile } from 'node:child_process';
import { chmod, chown, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Identity } from '../identity/identity.ts';

const runFile = promisify(execFile);

/** The writable folders of a program; also its own disk, which is limited. */
const WRITABLE = ['home', 'tmp', 'shm'] as const;

/**
 * Makes the folder that one run of a program has for itself: `home`, `tmp` and `shm` to write, and the named pipes of its
 * output and of its gate (where `mkfifo` is given). The folder itself stays the server's, so that nothing in it can be renamed or replaced.
 */
export async function createPrivateFolder(
  path: string,
  identity: Identity | undefined,
  mkfifo: string | undefined,
): Promise<void> {
  // Nobody else gets in before all is in place.
  await mkdir(path, { mode: 0o700 });
  const pipes = [join(path, 'stdout'), join(path, 'stderr')];
  if (mkfifo) await runFile(mkfifo, ['-m', '600', ...pipes, join(path, 'gate')], { env: {} });
  for (const name of WRITABLE) await mkdir(join(path, name), { mode: 0o700 });
  if (!identity) return;
  const owned = [...WRITABLE.map((name) => join(path, name)), ...(mkfifo ? pipes : [])];
  for (const entry of owned) await chown(entry, identity.uid, identity.gid);
  await chown(path, 0, identity.gid);
  await chmod(path, 0o710);
}
