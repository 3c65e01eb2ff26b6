import {
  createIgnoreRules,
  DEFAULT_PATTERNS,
  IGNORE_FILES,
  type IgnoreRules,
  isAlwaysIgnored,
  VIRTUAL_ENVIRONMENT_MARK,
} from '@berth/client/pack';
import type { SourceFolder, SourceNode } from './source-node.ts';

/** A file or an empty folder that will be packed; its path is relative to the root, with `/`. */
export type CollectedEntry =
  | { readonly kind: 'folder'; readonly path: string }
  | { readonly kind: 'file'; readonly path: string; readonly blob: Blob };

/**
 * What of a folder is packed, by the rules that `berth deploy` packs by, in the same order. The folder's own ignore files
 * count; those above it, which a page can't see, don't.
 * @throws the signal's reason; what the browser says of a file that can't be read
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
