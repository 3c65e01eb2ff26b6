import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';

interface Library {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
}

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
}

const FOLDER = /^(.*[/\\]node_modules[/\\](?:@[^/\\]+[/\\])?[^/\\]+)[/\\]/;

/** Finds the folders of all libraries that these packages depend on, which include every library in a built page. */
export function libraryFolders(root: string, ours: readonly string[]): readonly string[] {
  const found = new Set<string>();
  const visit = (folder: string) => {
    const { dependencies = {} } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as Manifest;
    for (const name of Object.keys(dependencies)) {
      const library = [path.join(folder, 'node_modules', name), path.join(root, 'node_modules', name)].find(existsSync);
      if (library === undefined || found.has(library) || name.startsWith('@berth/')) continue;
      found.add(library);
      visit(library);
    }
  };
  for (const folder of ours) visit(path.join(root, folder));
  return [...found];
}

/**
 * Returns the license notices of the libraries that contain these modules (absolute paths), and of those in `more`.
 */
export function thirdPartyNotices(modules: readonly string[], more: readonly string[]): string {
  const own = modules.map((file) => FOLDER.exec(file)?.[1]).filter((folder) => folder !== undefined);
  const folders = new Set([...own, ...more]);
  const notices = [...folders].map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as Library;
    const texts = globSync(['LICEN[CS]E*', 'licen[cs]e*'], { cwd: folder }).map((file) =>
      readFileSync(path.join(folder, file), 'utf8').trim(),
    );
    return [`${name} ${version} (${license ?? 'see below'})`, ...texts].join('\n\n');
  });
  return `${notices.sort().join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
}
