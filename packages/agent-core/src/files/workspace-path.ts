import { createError, createValidationError, parseObjectPath, toStoredPath } from '@berth/contract';

/** A path inside a workspace: relative, in NFC, without `.`, `..` and empty parts, and outside the reserved folders. */
export type WorkspacePath = string & { readonly __kind: 'workspace path' };

/** The workspace's own folder. */
export const ROOT = '' as WorkspacePath;

/** Source: docs/contract/agent-api.md §1, "Paths". */
export const RESERVED_TREES = ['.db', '.trash', '.secrets', '.connectors', '.settings', '.versions'] as const;

/** Every line terminator of Unicode. A name with one can forge lines in listings and logs. */
const LINE_BREAK = /[\n\v\f\r\u0085\u2028\u2029]/;

const RESERVED = new Set(RESERVED_TREES.map(fold));

/**
 * Parses a path that was decoded once.
 * @param loc the input's place, for the 422.
 * @throws `forbidden` for a path that is absolute, has `..` segments or leads into a reserved folder; `invalid` for no path at all.
 */
export function parseWorkspacePath(text: string, loc: readonly string[] = ['path', 'path']): WorkspacePath {
  if (text.startsWith('/')) throw refuse('is absolute; paths are relative to the workspace');
  // A backslash is part of a name here, but a separator to other programs that may read the path.
  if (text.split(/[/\\]/).some((part) => part === '..' || part === '.')) throw refuse('leaves the workspace');
  const parsed = LINE_BREAK.test(text) ? { problem: 'the path has a line break' } : parseObjectPath(text);
  if ('problem' in parsed) throw createValidationError([{ loc: [...loc], msg: parsed.problem, type: 'invalid_path' }]);
  const path = toStoredPath(parsed.path) as WorkspacePath;
  if (RESERVED.has(fold(partsOf(path)[0] ?? ''))) throw refuse('is in a reserved folder');
  return path;
}

/** As {@link parseWorkspacePath}, for folders: an empty text is the workspace itself, and one trailing slash is allowed. */
export function parseFolderPath(text: string, loc?: readonly string[]): WorkspacePath {
  if (text === '' || text === '.') return ROOT;
  return parseWorkspacePath(text.replace(/(?<=[^/])\/$/, ''), loc);
}

export function partsOf(path: WorkspacePath): readonly string[] {
  return path === '' ? [] : path.split('/');
}

/** Returns the parent folder of a path; {@link ROOT} at the top. */
export function folderOf(path: WorkspacePath): WorkspacePath {
  return path.slice(0, Math.max(0, path.lastIndexOf('/'))) as WorkspacePath;
}

/** Returns the last part of a path. */
export function nameOf(path: WorkspacePath): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Returns the path of an entry of a folder. `name` has no slash. */
export function childOf(folder: WorkspacePath, name: string): WorkspacePath {
  return (folder === '' ? name : `${folder}/${name}`) as WorkspacePath;
}

/** Returns the folders above a path, outermost first, without the workspace itself. */
export function ancestorsOf(path: WorkspacePath): readonly WorkspacePath[] {
  const parts = partsOf(path);
  return parts.slice(1).map((_part, index) => parts.slice(0, index + 1).join('/') as WorkspacePath);
}

/** True when `path` is `folder` or lies below it. */
export function isWithin(path: WorkspacePath, folder: WorkspacePath): boolean {
  return folder === '' || path === folder || path.startsWith(`${folder}/`);
}

/** Folds a name as case-insensitive file systems do. Upper case also folds letters such as the long s. */
function fold(name: string): string {
  return name.normalize('NFKC').toUpperCase();
}

function refuse(what: string) {
  return createError('forbidden', `The path ${what}.`);
}
