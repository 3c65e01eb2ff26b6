import { existsSync, realpathSync } from 'node:fs';
import { copyFile, cp, link, lstat, readFile, realpath, rename, rm, stat, symlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { ignoreMissing } from '@berth/runtime/files';
import { makeFolder } from '../host/make-folder.ts';

/**
 * Provides the platform's Node at `<folder>/bin/node`, where every service can run it: a symlink if services can reach the original, else a
 * hard link, else (on another disk) a copy, which is kept while it is up to date.
 */
export async function provideNode(
  folder: string,
  nodePath: string,
  isVisible: (path: string) => boolean,
): Promise<void> {
  const source = await realpath(nodePath);
  const target = join(folder, 'bin', 'node');
  await makeFolder(dirname(target), 0o755);
  const temporary = `${target}.new`;
  await rm(temporary, { force: true });
  if (isVisible(source)) {
    await symlink(source, temporary);
  } else {
    if (await isSameFile(source, target)) return;
    // A hard link fails across disks, and on some systems for files of other users.
    await link(source, temporary).catch(() => copyFile(source, temporary));
  }
  await rename(temporary, target);
}

/** Compares device and inode, or, for a copy, size and modification time. */
async function isSameFile(source: string, target: string): Promise<boolean> {
  const [original, copy] = await Promise.all([stat(source), lstat(target).catch(ignoreMissing)]);
  if (!copy?.isFile()) return false;
  if (original.dev === copy.dev && original.ino === copy.ino) return true;
  return original.size === copy.size && copy.mtimeMs >= original.mtimeMs;
}

/** Options of {@link provideNpm}. */
export interface NpmOptions {
  /** The toolchain's folder. */
  readonly folder: string;
  /** Where to look for `npm`. */
  readonly programFolders: readonly string[];
  readonly nodePath: string;
  readonly isVisible: (path: string) => boolean;
  /** A sandbox can be made to show any folder. */
  readonly canShow: boolean;
}

/**
 * Links the machine's npm and npx beside the platform's Node, so that they run on it. Where services can't reach npm's own folder, it is
 * copied, or returned as a folder that sandboxes must show.
 */
export async function provideNpm(options: NpmOptions): Promise<string | undefined> {
  const { folder, isVisible, canShow } = options;
  const bin = join(folder, 'bin');
  for (const name of ['npm', 'npx']) await rm(join(bin, name), { force: true });
  const found = findNpm(options);
  if (found === undefined) return undefined;
  const isSeen = isVisible(join(found, 'bin', 'npm-cli.js'));
  const root = isSeen || canShow ? found : await copyNpm(found, join(folder, 'lib', 'node_modules', 'npm'));
  await symlink(join(root, 'bin', 'npm-cli.js'), join(bin, 'npm'));
  await symlink(join(root, 'bin', 'npx-cli.js'), join(bin, 'npx'));
  return isSeen || !canShow ? undefined : root;
}

/** Finds npm's folder. Skips the shims of version managers: only a path that leads to `npm-cli.js` is npm. */
function findNpm({ programFolders, nodePath }: NpmOptions): string | undefined {
  const beside = join(dirname(nodePath), '..', 'lib', 'node_modules', 'npm', 'bin', 'npm-cli.js');
  for (const candidate of [...programFolders.map((folder) => join(folder, 'npm')), beside]) {
    if (!existsSync(candidate)) continue;
    const script = realpathSync(candidate);
    if (basename(script) === 'npm-cli.js') return dirname(dirname(script));
  }
  return undefined;
}

/** Copies npm, unless the same version was copied before, because npm has some 2,000 files. */
async function copyNpm(source: string, target: string): Promise<string> {
  const [wanted, present] = await Promise.all([readVersion(source), readVersion(target)]);
  if (wanted !== undefined && wanted === present) return target;
  const temporary = `${target}.new`;
  await rm(temporary, { recursive: true, force: true });
  for (const above of [dirname(dirname(target)), dirname(target)]) await makeFolder(above, 0o755);
  await cp(source, temporary, { recursive: true, verbatimSymlinks: true });
  await rm(target, { recursive: true, force: true });
  await rename(temporary, target);
  return target;
}

async function readVersion(folder: string): Promise<string | undefined> {
  try {
    return (JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as { version?: string }).version;
  } catch {
    return undefined;
  }
}
