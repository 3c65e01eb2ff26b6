import { createError } from '@berth/contract';
import { escapeElement } from '@berth/runtime';
import { parseCommand } from './parse-command.ts';

/** A command of a plan. */
export interface Command {
  /** The command for display, e.g. `npm ci`. */
  readonly title: string;
  /**
   * Elements for `expandCommand`. A first element without `/` is searched for in the plan's bin folders, then in PATH.
   */
  readonly argv: readonly string[];
  /** An alternative for a known, recoverable failure. */
  readonly otherwise?: Alternative;
  /** The error for a failure caused by an unavailable version or package. */
  readonly refusal?: Refusal;
}

/** The explanation of a known failure. */
export interface Refusal {
  /** Texts that identify the failure: a line of the command's output contains one of them. */
  readonly afterOutput: readonly string[];
  readonly message: string;
}

/** An alternative to a failed command. */
export interface Alternative {
  /** Text that identifies the failure in a line of the command's output. */
  readonly afterOutput: string;
  /** The reason, for display. */
  readonly notice: string;
  readonly command: Command;
}

/** Returns a command with fixed elements: references in them are escaped. */
export function createCommand(...argv: readonly string[]): Command {
  return { title: argv.join(' '), argv: argv.map(escapeElement) };
}

/** Returns a shell command for a line that a tenant wrote. */
export function createShellCommand(line: string): Command {
  return { title: line, argv: ['/bin/sh', '-c', escapeElement(line)] };
}

/** Returns the line of a shell command; undefined for any other command. */
export function findShellLine({ argv }: Command): string | undefined {
  return argv.length === 3 && argv[0] === '/bin/sh' && argv[1] === '-c' ? argv[2] : undefined;
}

/**
 * Parses a tenant's command line: into an argv if it is a single program with arguments, otherwise into a shell
 * command.
 * @throws BerthError `build_failed` that names `source` (the line's origin) if the line is empty or a quote isn't
 * closed.
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
