import { createError } from '@berth/contract';
import { escapeElement } from '@berth/runtime';
import { parseCommand } from './parse-command.ts';

/** A command of a plan. */
export interface Command {
  /** As people are shown it, e.g. `npm ci`. */
  readonly title: string;
  /** Elements for `expandCommand`. A first element without `/` is looked for in the plan's bin folders, then in PATH. */
  readonly argv: readonly string[];
  /** What to try when it fails in a way that is known to be mended so. */
  readonly otherwise?: Alternative;
  /** What to say when it fails because what was asked for can't be had. */
  readonly refusal?: Refusal;
}

/** Why a command failed, for people. */
export interface Refusal {
  /** Texts one of which the failed command printed in a line, if this is why. */
  readonly afterOutput: readonly string[];
  readonly message: string;
}

/** Another command for one that failed. */
export interface Alternative {
  /** Text that the failed command printed in one line, if this is to be tried. */
  readonly afterOutput: string;
  /** Why, for people. */
  readonly notice: string;
  readonly command: Command;
}

/** A command that Berth itself made up: its elements are taken as they are. */
export function createCommand(...argv: readonly string[]): Command {
  return { title: argv.join(' '), argv: argv.map(escapeElement) };
}

/** A command line for sh: the tenant's own text as one element. */
export function createShellCommand(line: string): Command {
  return { title: line, argv: ['/bin/sh', '-c', escapeElement(line)] };
}

/** The line of a shell command; undefined for every other command. */
export function findShellLine({ argv }: Command): string | undefined {
  return argv.length === 3 && argv[0] === '/bin/sh' && argv[1] === '-c' ? argv[2] : undefined;
}

/**
 * A line that a tenant wrote, as a command: directly where it is one program with its arguments, else by a shell.
 * @throws BerthError `build_failed` naming `source` (where it stands) when it is empty or a quote is open.
 */
export function createLineCommand(line: string, source: string): Command {
  const title = line.trim();
  if (title.includes('\0')) throw createError('build_failed', `${source} holds a NUL.`);
  const parsed = parseCommand(title);
  switch (parsed.kind) {
    case 'argv':
      return { title, argv: parsed.argv };
    case 'needsShell':
      return createShellCommand(title);
    case 'invalid':
      throw createError('build_failed', `${source} is not a command: ${parsed.problem}.`);
  }
}
