import { execFile } from 'node:child_process';
import { chmod, chown, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Identity } from '../identity/can-reach.ts';

const runFile = promisify(execFile);

/** The writable folders of a program, which count toward its disk limit. */
const WRITABLE = ['home', 'tmp', 'shm'] as const;

/**
 * Makes the private folder of one run of a program: writable folders `home`, `tmp` and `shm`, and named pipes for its output and its gate
 * (if `mkfifo` is given). The server owns the folder itself, so that the program can't rename or replace its entries.
 */
export async function createPrivateFolder(
  path: string,
  identity: Identity | undefined,
  mkfifo: string | undefined,
): Promise<void> {
  // No one else can enter before everything is in place.
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
