import ignore, { type Ignore } from 'ignore';

/** Patterns of one folder's ignore files; they speak about what is below it. */
export interface RuleSet {
  /** Path of the folder below the root the paths are given from; empty for the root itself. */
  readonly folder: string;
  readonly rules: Ignore;
}

/**
 * Reads patterns in gitignore form. Of several texts for one folder the later ones go before the earlier:
 * `.berthignore` can take back what `.gitignore` says.
 */
export function createRuleSet(folder: string, texts: readonly string[]): RuleSet {
  const rules = ignore({ allowRelativePaths: false });
  for (const text of texts) rules.add(text);
  return { folder, rules };
}

/**
 * Whether `path` is left out, as git decides it: the deepest folder whose patterns say something has the last word.
 * `path` is relative to the root, with `/`, and one for a folder ends with it. Folders above it must not be left out
 * themselves: git does not look into those, and neither may the caller.
 */
export function isIgnored(path: string, ruleSets: readonly RuleSet[]): boolean {
  for (const { folder, rules } of ruleSets.toReversed()) {
    const below = folder === '' ? path : path.slice(folder.length + 1);
    const { ignored, unignored } = rules.test(below);
    if (ignored || unignored) return ignored;
  }
  return false;
}
