import type { PackEntry } from './pack-entry.ts';

/** A file, or a folder with all that is in it. */
export interface Weight {
  /** A folder's ends with `/`. */
  readonly path: string;
  readonly sizeBytes: number;
}

/** A folder is told by its one large child instead of by itself from this share of its bytes on. */
const MOSTLY_RATIO = 0.8;

/** Minimum share of the whole for an entry to be listed. */
const NOTABLE_RATIO = 0.01;

/**
 * Returns the heaviest entries of a tree, heaviest first, `count` at most. A folder that is little more than one of its
 * children is opened, so that `data/raw/dump.sql` is named and not `data/`.
 */
export function heaviestPaths(entries: readonly PackEntry[], count: number): Weight[] {
  const sizes = new Map<string, number>();
  const children = new Map<string, Set<string>>();
  for (const entry of entries) {
    if (entry.kind !== 'file') continue;
    let child = entry.path;
    sizes.set(child, (sizes.get(child) ?? 0) + entry.sizeBytes);
    for (let slash = child.lastIndexOf('/'); ; slash = child.lastIndexOf('/', slash - 1)) {
      const folder = slash === -1 ? '' : entry.path.slice(0, slash + 1);
      const known = children.get(folder) ?? new Set();
      children.set(folder, known.add(child));
      sizes.set(folder, (sizes.get(folder) ?? 0) + entry.sizeBytes);
      if (slash === -1) break;
      child = folder;
    }
  }
  const open = (path: string): string => {
    const [heaviest] = byWeight(children.get(path) ?? [], sizes);
    if (!heaviest || heaviest.sizeBytes < MOSTLY_RATIO * (sizes.get(path) ?? 0)) return path;
    return open(heaviest.path);
  };
  const leastBytes = NOTABLE_RATIO * (sizes.get('') ?? 0);
  return byWeight([...(children.get('') ?? [])].map(open), sizes)
    .filter((weight) => weight.sizeBytes >= leastBytes)
    .slice(0, count);
}

function byWeight(paths: Iterable<string>, sizes: ReadonlyMap<string, number>): Weight[] {
  return [...paths]
    .map((path) => ({ path, sizeBytes: sizes.get(path) ?? 0 }))
    .sort((a, b) => b.sizeBytes - a.sizeBytes || (a.path < b.path ? -1 : 1));
}
