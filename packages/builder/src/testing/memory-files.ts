import { createHash } from 'node:crypto';
import type { ProjectFiles } from '../plan/project-files.ts';

/** Creates project files from an object: path to content. */
export function createMemoryFiles(tree: Readonly<Record<string, string>>): ProjectFiles {
  const paths = Object.keys(tree);
  const below = (folder: string) => (folder === '.' ? '' : `${folder}/`);
  return {
    async kindOf(path) {
      if (tree[path] !== undefined) return 'file';
      return paths.some((each) => each.startsWith(below(path))) ? 'folder' : undefined;
    },
    readText: async (path) => tree[path],
    async digest(path) {
      const text = tree[path];
      return text === undefined ? undefined : createHash('sha256').update(text).digest('hex');
    },
    async list(folder) {
      const names = paths
        .filter((path) => path.startsWith(below(folder)))
        .map((path) => path.slice(below(folder).length))
        .map((rest) => (rest.includes('/') ? rest.slice(0, rest.indexOf('/') + 1) : rest));
      return [...new Set(names)].sort();
    },
  };
}
