import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isInside } from '../host/is-inside.ts';

/**
 * Where people's installers put compilers and interpreters, below their home: read by builds, and by what was built with
 * them. Named one by one, because everything else in a home is nobody's business.
 */
const KNOWN_IN_HOME = [
  '.asdf',
  '.bun',
  '.cargo/bin',
  '.deno',
  '.goenv',
  '.local/bin',
  '.local/share/fnm',
  '.local/share/mise/installs',
  '.local/share/uv',
  '.nvm/versions',
  '.pyenv',
  '.rustup/toolchains',
  '.volta',
  'go/bin',
  'sdk',
] as const;

export interface ToolFolderOptions {
  readonly homeFolder: string;
  /** The server's PATH, parted. */
  readonly programFolders: readonly string[];
  /** Never to be shown. */
  readonly hidden: readonly string[];
}

/** Folders outside of the system's that a sandbox shows, so that the programs in them can run. */
export function findToolFolders({ homeFolder, programFolders, hidden }: ToolFolderOptions): string[] {
  const known = KNOWN_IN_HOME.map((name) => join(homeFolder, name));
  // /opt/<product>/bin and the like: the product as a whole.
  const optional = programFolders
    .map((folder) => /^\/opt\/[^/]+/.exec(folder)?.[0])
    .filter((folder): folder is string => folder !== undefined);
  const candidates = [...new Set([...known, ...optional])].filter((folder) => existsSync(folder));
  return candidates.filter((folder) => !hidden.some((secret) => isInside(secret, folder) || isInside(folder, secret)));
}

/** Where systems and their package managers put programs. */
const SYSTEM_ROOTS = ['/usr', '/bin', '/sbin', '/nix/store', '/run/current-system/sw'] as const;

/**
 * The folders of PATH that services may have in theirs: the system's, and those of toolchains that are shown to them on
 * purpose. Nothing else of the server's PATH is told to tenants, even where they could read it: no project's folder, no shims
 * that ask another folder what to run.
 */
export function usableProgramFolders(
  folders: readonly string[],
  toolFolders: readonly string[],
  isVisible: (path: string) => boolean,
): string[] {
  const roots = [...SYSTEM_ROOTS, ...toolFolders];
  const usable = folders.filter(
    (folder) =>
      roots.some((root) => isInside(folder, root)) &&
      !folder.includes('/node_modules/') &&
      basename(folder) !== 'shims' &&
      isVisible(folder),
  );
  return [...new Set(usable)];
}
