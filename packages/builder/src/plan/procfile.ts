import { type Command, createLineCommand } from './command.ts';

/**
 * The command of a Procfile's `web:` line, undefined when it has none.
 * Source: https://devcenter.heroku.com/articles/procfile (`<process type>: <command>`).
 * @throws BerthError `build_failed` when that line is no command.
 */
export function parseProcfile(text: string): Command | undefined {
  const line = text
    .replace(/^\ufeff/, '')
    .split(/\r?\n/)
    .map((each) => /^\s*web\s*:(.*)$/.exec(each)?.[1])
    .find((each) => each !== undefined);
  return line === undefined ? undefined : createLineCommand(line, 'The web line of the Procfile');
}
