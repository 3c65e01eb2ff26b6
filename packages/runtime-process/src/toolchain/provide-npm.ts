import { existsSync, realpathSync } from 'node:fs';
import { cp, readFile, rename, rm, symlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { makeFolder } from '../host/make-folder.ts';

export interface NpmOptions {
  /** The toolchain's own. */
  readonly folder: string;
  /** Where to look for `npm`. */
  readonly programFolders: readonly string[];
  readonly nodePath: string;
  readonly isVisible: (path: string) => boolean;
  /** A sandbox can be made to show any folder. */
  readonly canShow: boolean;
}

/**
 * Puts the machine's npm and npx beside the platform's Node: started from there they run under it. Where services can't
 * reach npm's own folder, it is shown to them (the result: a folder to show) or copied.
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

/** Version managers put shims on PATH; only what leads to npm's own script is npm. */
function findNpm({ programFolders, nodePath }: NpmOptions): string | undefined {
  const beside = join(dirname(nodePath), '..', 'lib', 'node_modules', 'npm', 'bin', 'npm-cli.js');
  for (const candidate of [...programFolders.map((folder) => join(folder, 'npm')), beside]) {
    if (!existsSync(candidate)) continue;
    const script = realpathSync(candidate);
    if (basename(script) === 'npm-cli.js') return dirname(dirname(script));
  }
  return undefined;
}

/** Anew only for another version: npm is some 2,000 files. */
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
    const manifest: unknown = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
    return typeof manifest === 'object' && manifest !== null && 'version' in manifest
      ? String(manifest.version)
      : undefined;
  } catch {
    return undefined;
  }
}
