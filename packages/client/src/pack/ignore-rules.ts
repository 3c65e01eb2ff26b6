import ignore from 'ignore';

/**
 * The patterns of ignore files, those of deeper folders after those above: as in git, the last one that matches has the
 * word, and nothing is looked for in a folder that is left out.
 */
export interface IgnoreRules {
  /**
   * Whether a path is left out. It is relative to where the rules are rooted, with `/`, and one for a folder ends with
   * it. The folders above it must not be left out themselves.
   */
  isIgnored(path: string): boolean;
  /** These rules, and after them the lines of an ignore file that lies in `folder` (empty for the root). */
  with(folder: string, text: string): IgnoreRules;
}

export function createIgnoreRules(): IgnoreRules {
  return wrap(newMatcher());
}

type Matcher = ReturnType<typeof ignore>;

function newMatcher(): Matcher {
  // By default `ignore` takes Makefile and makefile for the same, which git does not.
  return ignore({ ignorecase: false });
}

function wrap(matcher: Matcher): IgnoreRules {
  return {
    isIgnored: (path) => matcher.ignores(path),
    with: (folder, text) =>
      wrap(
        newMatcher()
          .add(matcher)
          .add(
            withoutMark(text)
              .split(/\r?\n/)
              .map((line) => rootPattern(folder, line)),
          ),
      ),
  };
}

/** Git drops a byte order mark, which editors of Windows write; kept, it would be part of the first pattern. */
function withoutMark(text: string): string {
  return text.replace(/^\uFEFF/, '');
}

/** The pattern that means for the root what `line` means for `folder`. Source: gitignore(5), "Pattern format". */
function rootPattern(folder: string, line: string): string {
  if (folder === '' || line.trim() === '' || line.startsWith('#')) return line;
  const not = line.startsWith('!') ? '!' : '';
  const pattern = line.slice(not.length);
  const place = `/${folder.replace(/[\\*?[\]!#\s]/g, '\\$&')}`;
  // A slash anywhere but at the end ties a pattern to its folder; without one it holds at any depth below.
  if (pattern.startsWith('/')) return `${not}${place}${pattern}`;
  return /\/(?=.*[^\s/])/.test(pattern) ? `${not}${place}/${pattern}` : `${not}${place}/**/${pattern}`;
}
