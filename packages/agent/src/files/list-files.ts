import { lstatSync, opendirSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { childOf, findPlace, toFileEntry, type WorkspacePath } from '@berth/agent-core';
import { AGENT_LIMITS, type FileEntry, type ListFilesQuery } from '@berth/contract/agent';
import { codeOf, isAbsence, type OpenFolder, openFolder } from '@berth/kit/node';

export type ListOptions = Partial<Pick<ListFilesQuery, 'sort' | 'desc' | 'search' | 'recursive'>>;

/** An entry and its name on the disk, which may have another Unicode form. */
interface Listed {
  readonly entry: FileEntry;
  readonly diskName: string;
}

/** Entries read before yielding to the event loop: a millisecond or two. */
const BATCH_ENTRIES = 256;
/** Maximum entries that a search or a recursive listing examines; a workspace may hold the whole of a dependency tree. */
const MAX_VISITED = 100_000;
/** Maximum entries of a listing of one folder, which has no next page. */
const MAX_FOLDER_ENTRIES = 10_000;

/**
 * Lists a folder of a workspace, folders first; with `search` or `recursive` all depths, nearest first. Leaves out dot entries and
 * links. Empty when there is no such folder. Source: docs/contract/agent-api.md §5.
 */
export async function listFiles(
  root: OpenFolder,
  path: WorkspacePath,
  options: ListOptions = {},
): Promise<FileEntry[]> {
  await using place = await findPlace(root, path);
  if (!place?.stats.isDirectory()) return [];
  await using folder = await openFolder(place.folder.at(place.name));
  if (!folder) return [];
  const entries: FileEntry[] = [];
  const search = options.search === undefined ? undefined : fold(options.search);
  const max =
    search !== undefined
      ? AGENT_LIMITS.searchResults
      : options.recursive
        ? AGENT_LIMITS.recursiveResults
        : MAX_FOLDER_ENTRIES;
  const isDeep = search !== undefined || options.recursive === true;
  for await (const { entry } of isDeep ? walkFiles(folder, path) : readFolder(folder, path)) {
    if (search !== undefined && !fold(entry.name).includes(search)) continue;
    entries.push(entry);
    if (entries.length === max) break;
  }
  return entries.sort(byOrder(options));
}

/** Yields every entry below a folder, depth by depth. */
export async function* walkFiles(folder: OpenFolder, path: WorkspacePath): AsyncGenerator<Listed> {
  let level: { readonly path: WorkspacePath; readonly names: readonly string[] }[] = [{ path, names: [] }];
  let visited = 0;
  while (level.length > 0) {
    const next: typeof level = [];
    for (const { path: at, names } of level) {
      await using current = await openNames(folder, names);
      if (!current) continue;
      for await (const listed of readFolder(current, at)) {
        if (++visited > MAX_VISITED) return;
        if (listed.entry.type === 'directory') {
          next.push({ path: listed.entry.path as WorkspacePath, names: [...names, listed.diskName] });
        }
        yield listed;
      }
    }
    level = next;
  }
}

async function openNames(folder: OpenFolder, names: readonly string[]): Promise<OpenFolder | undefined> {
  let current = await openFolder(folder.at('.'));
  for (const name of names) {
    if (!current) return undefined;
    await using outer: OpenFolder = current;
    current = await openFolder(outer.at(name));
  }
  return current;
}

/** The entries of one folder, in no order. */
async function* readFolder(folder: OpenFolder, path: WorkspacePath): AsyncGenerator<Listed> {
  try {
    // Not `using`: directories can't be disposed of before Node 24.
    const entries = opendirSync(folder.at('.'), { bufferSize: BATCH_ENTRIES });
    try {
      for (let count = 1; ; count++) {
        if (count % BATCH_ENTRIES === 0) await setImmediate();
        const entry = entries.readSync();
        if (entry === null) return;
        // A name that is no UTF-8 can't be asked for.
        if (entry.name.startsWith('.') || entry.name.includes('\ufffd')) continue;
        const stats = lstatOf(folder, entry.name);
        if (!stats?.isFile() && !stats?.isDirectory()) continue;
        yield { entry: toFileEntry(childOf(path, entry.name.normalize('NFC')), stats), diskName: entry.name };
      }
    } finally {
      entries.closeSync();
    }
  } catch (error) {
    // It was taken away, or the right to read it.
    if (!isAbsence(error) && codeOf(error) !== 'EACCES') throw error;
  }
}

function lstatOf(folder: OpenFolder, name: string) {
  try {
    return lstatSync(folder.at(name));
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw error;
  }
}

function byOrder({ sort = 'name', desc = false }: ListOptions): (one: FileEntry, other: FileEntry) => number {
  const sign = desc ? -1 : 1;
  const names = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });
  const compare = {
    name: () => 0,
    size: (one: FileEntry, other: FileEntry) => one.size - other.size,
    modified: (one: FileEntry, other: FileEntry) => Date.parse(one.modified) - Date.parse(other.modified),
    type: (one: FileEntry, other: FileEntry) => names.compare(one.kind, other.kind),
  }[sort];
  return (one, other) => {
    if (one.type !== other.type) return one.type === 'directory' ? -1 : 1;
    return sign * (compare(one, other) || names.compare(one.path, other.path) || (one.path < other.path ? -1 : 1));
  };
}

function fold(text: string): string {
  return text.normalize('NFC').toLowerCase();
}
