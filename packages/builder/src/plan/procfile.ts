import { createError } from '@berth/contract';
import { type Command, createLineCommand } from './command.ts';

/** The process types of a Procfile. Those that are not there are undefined. */
export interface Procfile {
  /** Starts the service. */
  readonly web: Command | undefined;
  /** Runs once before a new revision gets the traffic. */
  readonly release: Command | undefined;
  /** Names of the other process types, which Berth doesn't run. */
  readonly others: readonly string[];
}

/** `<process type>: <command>`. Source: https://devcenter.heroku.com/articles/procfile#procfile-format. */
const PROCESS_LINE = /^([A-Za-z0-9_-]+)\s*:(.*)$/;

/**
 * Reads a Procfile. Blank lines and lines that begin with `#` are skipped.
 * @throws BerthError `build_failed` naming the line that has no process type, comes twice, or holds no command.
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
 * Refuses process types that Berth doesn't run: a project that counts on its worker would seem deployed, and its jobs would wait for ever.
 * @throws BerthError `build_failed` naming them, and what to do instead.
 */
export function refuseOtherProcesses({ others }: Procfile): void {
  if (others.length === 0) return;
  const lines = others.map((name) => `"${name}"`).join(', ');
  throw createError(
    'build_failed',
    `The Procfile has process types that Berth doesn't run: ${lines}. Only "web" and "release" run. Remove ${others.length === 1 ? 'that line' : 'those lines'} and do the work in the web process, on a schedule ("berth deploy --schedule"), or in a deployment of its own that listens on $PORT. A berth.json with "start" deploys the project as it is, without them.`,
  );
}

/** What people are told where something other than the Procfile says how the service starts; undefined when nothing is lost by it. */
export function explainUnusedProcesses({ web, others }: Procfile, instead: string): string | undefined {
  const unused = [...(web === undefined ? [] : ['web']), ...others];
  if (unused.length === 0) return undefined;
  const lines = unused.map((name) => `"${name}"`).join(', ');
  return `${instead} says how the service starts, so the Procfile's ${lines} ${unused.length === 1 ? 'is' : 'are'} not run`;
}
