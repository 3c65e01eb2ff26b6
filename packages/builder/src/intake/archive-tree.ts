import { createArchiveViolation, createEntryViolation } from './archive-violation.ts';

/** Maximum length of a link's target: PATH_MAX of Linux. Source: limits.h. */
const TARGET_BYTES = 4_096;

/** A symbolic link of an archive. */
export interface ArchiveLink {
  readonly path: string;
  readonly target: string;
}

/** The entries of an archive so far; rejects entries that conflict with them. Paths are those of `parseEntryName`. */
export interface ArchiveTree {
  /** Number of entries, including implied folders. */
  readonly size: number;
  readonly links: readonly ArchiveLink[];
  /** Adds a folder or (`addFile`) a file and returns the folders to create first, outermost first. */
  addFolder(path: string): string[];
  addFile(path: string): string[];
  /** Adds a symbolic link. The caller creates links after everything else, so that nothing is written through them. */
  addLink(path: string, target: string): string[];
  isFile(path: string): boolean;
  /** Returns the names in the root, and whether each is a folder. */
  topLevel(): { readonly name: string; readonly isFolder: boolean }[];
  /** Returns the target of the link at `path`; undefined if `path` isn't a link. */
  linkTarget(path: string): string | undefined;
}

/**
 * Creates an empty tree. It rejects duplicate names, paths below a file or a link, and more than `maxEntries` entries.
 * @throws BerthError `archive_invalid` from its methods.
 */
export function createArchiveTree({ maxEntries }: { readonly maxEntries: number }): ArchiveTree {
  const kinds = new Map<string, 'file' | 'folder' | 'link'>();
  const links = new Map<string, string>();

  const put = (path: string, kind: 'file' | 'folder' | 'link') => {
    if (kinds.size >= maxEntries) throw createArchiveViolation(`The archive has more than ${maxEntries} entries.`);
    kinds.set(path, kind);
  };

  const makeParents = (path: string): string[] => {
    const missing: string[] = [];
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
      const parent = path.slice(0, end);
      const kind = kinds.get(parent);
      if (kind === 'folder') break;
      if (kind !== undefined) {
        throw createEntryViolation(path, `lies below ${JSON.stringify(parent)}, which is a ${kind}`);
      }
      missing.unshift(parent);
    }
    for (const parent of missing) put(parent, 'folder');
    return missing;
  };

  const addNew = (path: string, kind: 'file' | 'link') => {
    const known = kinds.get(path);
    if (known !== undefined) throw createEntryViolation(path, `is there twice (already a ${known})`);
    const folders = makeParents(path);
    put(path, kind);
    return folders;
  };

  return {
    get size() {
      return kinds.size;
    },
    get links() {
      return [...links].map(([path, target]) => ({ path, target }));
    },
    addFolder(path) {
      const known = kinds.get(path);
      if (known === 'folder') return [];
      if (known !== undefined) throw createEntryViolation(path, `is there twice (already a ${known})`);
      const folders = makeParents(path);
      put(path, 'folder');
      return [...folders, path];
    },
    addFile: (path) => addNew(path, 'file'),
    addLink(path, target) {
      if (target === '') throw createEntryViolation(path, 'is a link to nothing');
      if (target.startsWith('/')) throw createEntryViolation(path, `is a link to the absolute path ${target}`);
      if (Buffer.byteLength(target) > TARGET_BYTES) {
        throw createEntryViolation(path, `is a link to a path over ${TARGET_BYTES} bytes`);
      }
      const folders = addNew(path, 'link');
      links.set(path, target);
      return folders;
    },
    isFile: (path) => kinds.get(path) === 'file',
    topLevel: () =>
      [...kinds].filter(([path]) => !path.includes('/')).map(([name, kind]) => ({ name, isFolder: kind === 'folder' })),
    linkTarget: (path) => links.get(path),
  };
}
