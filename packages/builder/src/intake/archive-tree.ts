import { createArchiveViolation, createEntryViolation } from './archive-violation.ts';

/** Maximum length of a link's target: PATH_MAX of Linux. Source: limits.h. */
const TARGET_BYTES = 4_096;

/** The entries of an archive so far. */
export type ArchiveTree = ReturnType<typeof createArchiveTree>;

/**
 * Creates an empty tree. It rejects duplicate names, paths below a file or a link, and more than `maxEntries` entries.
 * With `allowsAbsoluteLinks`, links may have absolute targets, as those of Python's virtual environments.
 * Paths are those of `parseEntryName`.
 * @throws BerthError `archive_invalid` from its methods.
 */
export function createArchiveTree({
  maxEntries,
  allowsAbsoluteLinks = false,
}: {
  readonly maxEntries: number;
  readonly allowsAbsoluteLinks?: boolean;
}) {
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
    if (known !== undefined) throw createEntryViolation(path, `occurs twice (already a ${known})`);
    const folders = makeParents(path);
    put(path, kind);
    return folders;
  };

  return {
    /** Number of entries, including implied folders. */
    get size(): number {
      return kinds.size;
    },
    /** The symbolic links. */
    get links(): readonly { readonly path: string; readonly target: string }[] {
      return [...links].map(([path, target]) => ({ path, target }));
    },
    /** Adds a folder or (`addFile`) a file and returns the folders to create first, outermost first. */
    addFolder(path: string): string[] {
      const known = kinds.get(path);
      if (known === 'folder') return [];
      if (known !== undefined) throw createEntryViolation(path, `occurs twice (already a ${known})`);
      const folders = makeParents(path);
      put(path, 'folder');
      return [...folders, path];
    },
    addFile: (path: string): string[] => addNew(path, 'file'),
    /** Adds a symbolic link. The caller creates links after everything else, so that nothing is written through them. */
    addLink(path: string, target: string): string[] {
      if (target === '') throw createEntryViolation(path, 'is a link without a target');
      if (target.startsWith('/') && !allowsAbsoluteLinks)
        throw createEntryViolation(path, `is a link to the absolute path ${target}`);
      if (Buffer.byteLength(target) > TARGET_BYTES) {
        throw createEntryViolation(path, `is a link to a path over ${TARGET_BYTES} bytes`);
      }
      const folders = addNew(path, 'link');
      links.set(path, target);
      return folders;
    },
    isFile: (path: string): boolean => kinds.get(path) === 'file',
    /** Returns the names in the root, and whether each is a folder. */
    topLevel: (): { readonly name: string; readonly isFolder: boolean }[] =>
      [...kinds].filter(([path]) => !path.includes('/')).map(([name, kind]) => ({ name, isFolder: kind === 'folder' })),
    /** Returns the target of the link at `path`; undefined if `path` isn't a link. */
    linkTarget: (path: string): string | undefined => links.get(path),
  };
}
