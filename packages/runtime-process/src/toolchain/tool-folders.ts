import { existsSync, readdirSync, readFileSync } from 'node:fs';
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

/**
 * Folders of programs that version managers keep off PATH, behind shims which ask a folder of the operator's what to run.
 * Sources: rustup's `settings.toml`; pyenv's `versions`.
 */
export interface ManagedFolders {
  /** rustup's default toolchain: its own proxies in `.cargo/bin` need a home that builds don't see. */
  readonly rust: readonly string[];
  /** The newest patch of each Python 3 of pyenv, newest first. They follow the system's own `python3`. */
  readonly python: readonly string[];
}

export function findManagedFolders(homeFolder: string): ManagedFolders {
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
    rust: toolchain === undefined ? [] : [join(homeFolder, '.rustup', 'toolchains', toolchain, 'bin')],
    python: pythons.map((version) => join(versions, version, 'bin')),
  };
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
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
