import {
  createIgnoreRules,
  DEFAULT_PATTERNS,
  IGNORE_FILES,
  type IgnoreRules,
  isAlwaysIgnored,
  VIRTUAL_ENVIRONMENT_MARK,
} from '@berth/client/pack';
import type { SourceFolder, SourceNode } from './source-node.ts';

/** A file or an empty folder to pack. Its path is relative to the root, with `/` as separator. */
export type CollectedEntry =
  | { readonly kind: 'folder'; readonly path: string }
  | { readonly kind: 'file'; readonly path: string; readonly blob: Blob };

/**
 * Returns the files of a folder to pack, by the same rules and in the same order as `berth deploy`. Applies the ignore
 * files inside the folder; the page can't read those above it.
 * @throws the signal's reason; the browser's error for an unreadable file
 */
export async function collectSource(root: SourceFolder, signal?: AbortSignal): Promise<CollectedEntry[]> {
  const entries: CollectedEntry[] = [];

  async function walk(path: string, children: readonly SourceNode[], above: IgnoreRules): Promise<void> {
    const rules = await addRules(path, children, above);
    for (const child of children.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      signal?.throwIfAborted();
      const childPath = path === '' ? child.name : `${path}/${child.name}`;
      if (isAlwaysIgnored(child.name) || rules.isIgnored(childPath + (child.kind === 'folder' ? '/' : ''))) continue;
      if (child.kind === 'file') {
        entries.push({ kind: 'file', path: childPath, blob: await child.open() });
        continue;
      }
      const inside = await child.children();
      if (inside.some(({ name }) => name === VIRTUAL_ENVIRONMENT_MARK)) continue;
      entries.push({ kind: 'folder', path: childPath });
      await walk(childPath, inside, rules);
    }
  }

  await walk('', await root.children(), createIgnoreRules().with('', DEFAULT_PATTERNS));
  return entries;
}

async function addRules(path: string, children: readonly SourceNode[], above: IgnoreRules): Promise<IgnoreRules> {
  let rules = above;
  for (const name of IGNORE_FILES) {
    const file = children.find((child) => child.kind === 'file' && child.name === name);
    if (file?.kind === 'file') rules = rules.with(path, await (await file.open()).text());
  }
  return rules;
}
