import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { readIfThere } from '@berth/runtime/files';
import { isInside } from '../host/is-inside.ts';

/**
 * Folders below a home in which installers put compilers and interpreters. Builds and the programs they make read them. They are listed one
 * by one, because everything else in a home stays private.
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

/** Options of {@link findToolFolders}. */
export interface ToolFolderOptions {
  readonly homeFolder: string;
  /** The folders of the server's PATH. */
  readonly programFolders: readonly string[];
  /** Folders that must never be shown. */
  readonly hidden: readonly string[];
}

/** Returns the toolchain folders outside of the system's that a sandbox shows, so that the programs in them can run. */
export function findToolFolders({ homeFolder, programFolders, hidden }: ToolFolderOptions): string[] {
  const known = KNOWN_IN_HOME.map((name) => join(homeFolder, name));
  // For /opt/<product>/bin and the like, show the whole product.
  const optional = programFolders
    .map((folder) => /^\/opt\/[^/]+/.exec(folder)?.[0])
    .filter((folder): folder is string => folder !== undefined);
  const candidates = [...new Set([...known, ...optional])].filter((folder) => existsSync(folder));
  return candidates.filter((folder) => !hidden.some((secret) => isInside(secret, folder) || isInside(folder, secret)));
}

/**
 * Finds the folders of the programs of rustup and pyenv below a home. They aren't on PATH but behind shims, which read the operator's home to
 * choose a version. Sources: rustup's `settings.toml`; pyenv's `versions`.
 */
export function findManagedFolders(homeFolder: string) {
  const settings = readIfThere(join(homeFolder, '.rustup', 'settings.toml'));
  const toolchain = /^default_toolchain\s*=\s*"([\w.-]+)"/m.exec(settings)?.[1];
  const versions = join(homeFolder, '.pyenv', 'versions');
  const newest = new Map<number, number>();
  for (const name of existsSync(versions) ? readdirSync(versions) : []) {
    const [, minor, patch] = /^3\.(\d+)\.(\d+)$/.exec(name) ?? [];
    if (minor === undefined || patch === undefined) continue;
    newest.set(Number(minor), Math.max(Number(patch), newest.get(Number(minor)) ?? 0));
  }
  const pythons = [...newest].sort(([a], [b]) => b - a).map(([minor, patch]) => `3.${minor}.${patch}`);
  return {
    /** rustup's default toolchain, because the proxies in `.cargo/bin` need a home that builds don't see. */
    rust: toolchain === undefined ? [] : [join(homeFolder, '.rustup', 'toolchains', toolchain, 'bin')],
    /** The newest patch release of each Python 3 version of pyenv, newest first. They come after the system's own `python3`. */
    python: pythons.map((version) => join(versions, version, 'bin')),
  };
}

/** Folders in which systems and their package managers put programs. */
const SYSTEM_ROOTS = ['/usr', '/bin', '/sbin', '/nix/store', '/run/current-system/sw'] as const;

/**
 * Returns the folders for the PATH of services: the system's, and those of toolchains that sandboxes show. Tenants don't learn of the other
 * folders on the server's PATH, even if they could read them: folders of projects, and shims that read another folder.
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
