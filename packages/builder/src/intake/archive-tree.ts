import { createArchiveViolation, createEntryViolation } from './archive-violation.ts';

/** Source: PATH_MAX of Linux, limits.h. */
const TARGET_BYTES = 4_096;

export interface ArchiveLink {
  readonly path: string;
  readonly target: string;
}

/** What an archive has put where so far; decides whether a further entry fits. Paths are those of `parseEntryName`. */
export interface ArchiveTree {
  /** Everything in it, implied folders included. */
  readonly size: number;
  readonly links: readonly ArchiveLink[];
  /** Both answer the folders that have to be made first, outermost first. */
  addFolder(path: string): string[];
  addFile(path: string): string[];
  /** A symbolic link; made after all else, so that nothing can be written through it. */
  addLink(path: string, target: string): string[];
  isFile(path: string): boolean;
  /** Paths directly in the root with whether they are folders. */
  topLevel(): { readonly name: string; readonly isFolder: boolean }[];
  /** The link target at `path`; undefined for all else. */
  linkTarget(path: string): string | undefined;
}

/**
 * Refuses every entry that would need something it is not: a name twice, a path below a file or a link.
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
