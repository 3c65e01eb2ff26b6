import { createError } from '@berth/contract';
import { type Command, createLineCommand } from './command.ts';

/** The process types of a Procfile; undefined if missing. */
export interface Procfile {
  /** Starts the service. */
  readonly web: Command | undefined;
  /** Runs once before a new revision receives traffic. */
  readonly release: Command | undefined;
  /** Names of the other process types, which Berth doesn't run. */
  readonly others: readonly string[];
}

/** `<process type>: <command>`. Source: https://devcenter.heroku.com/articles/procfile#procfile-format. */
const PROCESS_LINE = /^([A-Za-z0-9_-]+)\s*:(.*)$/;

/**
 * Parses a Procfile. Blank lines and lines that begin with `#` are skipped.
 * @throws BerthError `build_failed` that names the line without a process type, with a duplicate one, or without a
 * command.
 */
export function parseProcfile(text: string): Procfile {
  const commands = new Map<string, string>();
  const lines = text.replace(/^\ufeff/, '').split(/\r?\n/);
  for (const [index, untrimmed] of lines.entries()) {
    const line = untrimmed.trim();
    if (line === '' || line.startsWith('#')) continue;
    const [, name, command] = PROCESS_LINE.exec(line) ?? [];
    if (name === undefined || command === undefined) {
      throw createError(
        'build_failed',
        `Line ${index + 1} of the Procfile isn't "<process type>: <command>": ${JSON.stringify(line.slice(0, 80))}.`,
      );
    }
    if (commands.has(name)) {
      throw createError('build_failed', `The Procfile has two "${name}" lines. Keep one of them.`);
    }
    commands.set(name, command);
  }
  const commandOf = (name: string) => {
    const command = commands.get(name);
    return command === undefined ? undefined : createLineCommand(command, `The ${name} line of the Procfile`);
  };
  return {
    web: commandOf('web'),
    release: commandOf('release'),
    others: [...commands.keys()].filter((name) => name !== 'web' && name !== 'release'),
  };
}

/**
 * Refuses process types that Berth doesn't run: a project that relies on its worker would seem deployed, but its jobs
 * would never run.
 * @throws BerthError `build_failed` that names them, and what to do instead.
 */
export function refuseOtherProcesses({ others }: Procfile): void {
  if (others.length === 0) return;
  const lines = others.map((name) => `"${name}"`).join(', ');
  throw createError(
    'build_failed',
    `The Procfile has process types that Berth doesn't run: ${lines}. Only "web" and "release" run. Remove ${others.length === 1 ? 'that line' : 'those lines'} and do the work in the web process, on a schedule ("berth deploy --schedule"), or in a separate deployment that listens on $PORT. A berth.json with "start" deploys the project without them.`,
  );
}

/**
 * Returns a notice about process types that aren't used because another file defines the start command; undefined if
 * there are none.
 */
export function explainUnusedProcesses({ web, others }: Procfile, instead: string): string | undefined {
  const unused = [...(web === undefined ? [] : ['web']), ...others];
  if (unused.length === 0) return undefined;
  const lines = unused.map((name) => `"${name}"`).join(', ');
  return `${instead} defines the start command, so the Procfile's ${lines} ${unused.length === 1 ? 'is' : 'are'} not run`;
}
