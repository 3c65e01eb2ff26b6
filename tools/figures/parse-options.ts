import path from 'node:path';
import { parseArgs } from 'node:util';

/** How the command is used. */
export const HELP = `usage: npm run figures [-- [--json] [--root DIR] [--install]]

Measures the code of a Berth repository: files, lines, folders, tests, documented exports, comments, duplicates, sizes.

  --json       print the figures as JSON
  --root DIR   the repository to measure (this one)
  --install    also measure a production install: npm ci --omit=dev in a temporary folder; takes minutes and the network

Exit code: 0, or 2 for wrong words and for a folder that isn't a Berth repository.

  npm run figures
  npm run figures -- --json > figures.json
  git worktree add /tmp/before v0.1.0 && npm run figures -- --root /tmp/before
`;

/** What was asked for. */
export interface FiguresOptions {
  readonly isJson: boolean;
  /** Absolute. */
  readonly root: string;
  readonly hasInstall: boolean;
}

const REPO = path.resolve(import.meta.dirname, '../..');

/**
 * Reads the words of the command line; `help` when they ask how to use it.
 * @throws Error with a sentence about what is wrong with them.
 */
export function parseOptions(argv: readonly string[]): FiguresOptions | 'help' {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      json: { type: 'boolean', default: false },
      root: { type: 'string', default: REPO },
      install: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  return values.help ? 'help' : { isJson: values.json, root: path.resolve(values.root), hasInstall: values.install };
}
