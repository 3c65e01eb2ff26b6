/**
 * Never packed, whatever the ignore files say: dependencies, which the build installs for its own machine; the history
 * of version control; and the data folder of a Berth server, which holds its keys.
 */
const NAMES: ReadonlySet<string> = new Set(['node_modules', '.git', '.hg', '.svn', '.berth']);

export function isAlwaysIgnored(name: string): boolean {
  return NAMES.has(name);
}

/** Left out unless an ignore file includes it with `!`: files that interpreters, editors and desktops leave behind. */
export const DEFAULT_PATTERNS = ['__pycache__/', '*.pyc', '.venv/', '.DS_Store', '._*', '*.swp'].join('\n');

/** The file that marks a folder as a Python virtual environment (PEP 405). Its links lead to this machine's Python. */
export const VIRTUAL_ENVIRONMENT_MARK = 'pyvenv.cfg';

/** The ignore files of a folder; the later ones have the last word. */
export const IGNORE_FILES = ['.gitignore', '.berthignore'];
