import { spawnSync } from 'node:child_process';
import { cpSync, globSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Bytes of the files in a folder, however deep; a file with several names counts once, a link not at all. 0 where there is none. */
export function folderBytes(folder: string): number {
  const seen = new Set<number>();
  const walk = (current: string): number =>
    readdirSync(current, { withFileTypes: true }).reduce((sum, entry) => {
      const place = path.join(current, entry.name);
      if (entry.isDirectory()) return sum + walk(place);
      if (!entry.isFile()) return sum;
      const { ino, nlink, size } = lstatSync(place);
      if (nlink > 1 && seen.has(ino)) return sum;
      if (nlink > 1) seen.add(ino);
      return sum + size;
    }, 0);
  return lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() ? walk(folder) : 0;
}

/** Bytes of every `node_modules` that `npm ci` makes in the workspaces of `root`. */
export function nodeModulesBytes(root: string): number {
  return globSync(['node_modules', 'apps/*/node_modules', 'packages/*/node_modules'], { cwd: root })
    .map((folder) => folderBytes(path.join(root, folder)))
    .reduce((sum, bytes) => sum + bytes, 0);
}

/**
 * Installs what a server needs, without developer dependencies, from the manifests of `root` into a temporary folder.
 * @returns bytes of its `node_modules`
 * @throws Error with what npm printed
 */
export function productionInstallBytes(root: string): number {
  const folder = mkdtempSync(path.join(tmpdir(), 'berth-figures-'));
  try {
    const manifests = globSync(['package.json', 'package-lock.json', '{apps,packages}/*/package.json'], { cwd: root });
    for (const manifest of manifests) {
      mkdirSync(path.dirname(path.join(folder, manifest)), { recursive: true });
      cpSync(path.join(root, manifest), path.join(folder, manifest));
    }
    const { status, stdout, stderr } = spawnSync('npm', ['ci', '--omit=dev', '--no-audit', '--no-fund'], {
      cwd: folder,
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`npm ci --omit=dev failed in ${folder}:\n${stdout}${stderr}`);
    return nodeModulesBytes(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
