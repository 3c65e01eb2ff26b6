import { createError, createValidationError, parseObjectPath, toStoredPath } from '@berth/contract';

/** A path inside a workspace: relative, in NFC, without `.`, `..` and empty parts, and outside of the reserved trees. */
export type WorkspacePath = string & { readonly __kind: 'workspace path' };

/** The workspace's own folder. */
export const ROOT = '' as WorkspacePath;

/** Source: docs/contract/agent-api.md §1, "Paths". */
export const RESERVED_TREES = ['.db', '.trash', '.secrets', '.connectors', '.settings', '.versions'] as const;

const RESERVED = new Set(RESERVED_TREES.map(fold));

/**
 * Reads a path that was decoded once.
 * @param loc where it came from, for the 422.
 * @throws `forbidden` for a path that climbs, is absolute, or leads into a reserved tree; `invalid` for one that is no path.
 */
export function parseWorkspacePath(text: string, loc: readonly string[] = ['path', 'path']): WorkspacePath {
  if (text.startsWith('/')) throw refuse('is absolute; paths begin inside the workspace');
  // Backslashes are letters of names here, and separators to whatever may read the path elsewhere.
  if (text.split(/[/\\]/).some((part) => part === '..' || part === '.')) throw refuse('leads out of the workspace');
  const parsed = parseObjectPath(text);
  if ('problem' in parsed) throw createValidationError([{ loc: [...loc], msg: parsed.problem, type: 'invalid_path' }]);
  const path = toStoredPath(parsed.path) as WorkspacePath;
  if (RESERVED.has(fold(partsOf(path)[0] ?? ''))) throw refuse('is in a folder that the agent keeps to itself');
  return path;
}

/** As {@link parseWorkspacePath}, for folders: empty is the workspace itself, and one slash may be at the end. */
export function parseFolderPath(text: string, loc?: readonly string[]): WorkspacePath {
  if (text === '' || text === '.') return ROOT;
  return parseWorkspacePath(text.replace(/(?<=[^/])\/$/, ''), loc);
}

export function partsOf(path: WorkspacePath): readonly string[] {
  return path === '' ? [] : path.split('/');
}

/** The folder that a path is in; {@link ROOT} of what is not in any other. */
export function folderOf(path: WorkspacePath): WorkspacePath {
  return path.slice(0, Math.max(0, path.lastIndexOf('/'))) as WorkspacePath;
}

/** The last part of a path. */
export function nameOf(path: WorkspacePath): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** The path of an entry of a folder. `name` has no slash. */
export function childOf(folder: WorkspacePath, name: string): WorkspacePath {
  return (folder === '' ? name : `${folder}/${name}`) as WorkspacePath;
}

/** The folders that a path leads through, outermost first, without the workspace itself. */
export function ancestorsOf(path: WorkspacePath): readonly WorkspacePath[] {
  const parts = partsOf(path);
  return parts.slice(1).map((_part, index) => parts.slice(0, index + 1).join('/') as WorkspacePath);
}

/** True of `path` itself and of all below it. */
export function isWithin(path: WorkspacePath, folder: WorkspacePath): boolean {
  return folder === '' || path === folder || path.startsWith(`${folder}/`);
}

/** File systems that don't tell cases apart fold names; upper case also joins letters such as the long s. */
function fold(name: string): string {
  return name.normalize('NFKC').toUpperCase();
}

function refuse(what: string) {
  return createError('forbidden', `The path ${what}.`);
}
