import { lstat, readFile } from 'node:fs/promises';
import path from 'node:path';
import { createRuleSet, isIgnored, type RuleSet } from './ignore-rules.ts';

/** The `.gitignore` files above a folder, up to the root of its git repository. */
export interface OuterRules {
  /** Path of the folder below the repository's root; empty when it is the root, or there is no repository. */
  readonly prefix: string;
  readonly ruleSets: readonly RuleSet[];
}

/**
 * The patterns that hold for `folder` from above it: a monorepo has its `.gitignore` in its root. A folder that they
 * leave out as a whole (`dist`, say) is packed on purpose, and then they do not count.
 */
export async function findOuterRules(folder: string): Promise<OuterRules> {
  const none: OuterRules = { prefix: '', ruleSets: [] };
  const root = await findRepository(folder);
  if (root === undefined || root === folder) return none;
  const parts = path.relative(root, folder).split(path.sep);
  const ruleSets: RuleSet[] = [];
  for (let depth = 0; depth < parts.length; depth++) {
    const outer = parts.slice(0, depth).join('/');
    const text = await readFile(path.join(root, outer, '.gitignore'), 'utf8').catch(() => undefined);
    if (text !== undefined) ruleSets.push(createRuleSet(outer, [text]));
    if (isIgnored(`${parts.slice(0, depth + 1).join('/')}/`, ruleSets)) return none;
  }
  return { prefix: parts.join('/'), ruleSets };
}

async function findRepository(folder: string): Promise<string | undefined> {
  for (let current = folder; ; current = path.dirname(current)) {
    const hasGit = await lstat(path.join(current, '.git')).then(
      () => true,
      () => false,
    );
    if (hasGit) return current;
    if (current === path.dirname(current)) return undefined;
  }
}
