import { lstat, readFile } from 'node:fs/promises';
import path from 'node:path';
import { createIgnoreRules, type IgnoreRules } from '@berth/client/pack';

/** The ignore rules of a folder before its own ignore files are read. */
export interface OuterRules {
  /** Path of the folder below the repository's root, which the rules are rooted at; empty when it is the root itself. */
  readonly prefix: string;
  readonly rules: IgnoreRules;
}

/**
 * `defaults` and then the `.gitignore` files above `folder`, up to the root of its git repository: a monorepo has its
 * `.gitignore` in its root. A folder that they leave out as a whole (`dist`, say) is packed on purpose, and then they
 * do not count; nor do they outside of a repository.
 */
export async function findOuterRules(folder: string, defaults: string): Promise<OuterRules> {
  const none: OuterRules = { prefix: '', rules: createIgnoreRules().with('', defaults) };
  const root = await findRepository(folder);
  if (root === undefined || root === folder) return none;
  const parts = path.relative(root, folder).split(path.sep);
  const prefix = parts.join('/');
  let rules = createIgnoreRules().with(prefix, defaults);
  for (let depth = 0; depth < parts.length; depth++) {
    const outer = parts.slice(0, depth).join('/');
    const text = await readFile(path.join(root, outer, '.gitignore'), 'utf8').catch(() => '');
    rules = rules.with(outer, text);
    if (rules.isIgnored(`${parts.slice(0, depth + 1).join('/')}/`)) return none;
  }
  return { prefix, rules };
}

async function findRepository(folder: string): Promise<string | undefined> {
  for (let current = folder; ; current = path.dirname(current)) {
    const hasGit = await lstat(path.join(current, '.git'))
      .then(() => true)
      .catch(() => false);
    if (hasGit) return current;
    if (current === path.dirname(current)) return undefined;
  }
}
