import { createError, readBerthJson } from '@berth/contract';
import { escapeElement } from '@berth/runtime';
import { type Command, createLineCommand } from './command.ts';

/** How a `berth.json` says a project is built and started. Its settings are for who deploys it. */
export interface BerthJson {
  readonly install?: readonly Command[];
  readonly build?: readonly Command[];
  readonly start?: Command;
  readonly env: Readonly<Record<string, string>>;
  readonly site?: { readonly folder: string; readonly isSinglePage: boolean };
}

/** @throws BerthError `build_failed` that names the fault and where it is. */
export function parseBerthJson(source: string): BerthJson {
  const read = readBerthJson(source);
  if ('problem' in read) throw createError('build_failed', read.problem);
  const { install, build, start, env = {}, static: site } = read.file;
  if (start !== undefined && site !== undefined) {
    throw createError('build_failed', 'berth.json has both "start" and "static"; one service is either.');
  }
  const folderOf = (path: string) => path.replace(/^(\.\/)+/, '').replace(/\/+$/, '') || '.';
  return {
    ...(install === undefined ? {} : { install: toCommands(install, 'install') }),
    ...(build === undefined ? {} : { build: toCommands(build, 'build') }),
    ...(start === undefined ? {} : { start: toCommand(start, 'start') }),
    env,
    ...(site === undefined
      ? {}
      : {
          site:
            typeof site === 'string'
              ? { folder: folderOf(site), isSinglePage: false }
              : { folder: folderOf(site.folder), isSinglePage: site.single_page },
        }),
  };
}

/**
 * A list of texts may be one command's argv or several lines; it is lines when its first text has a space in it,
 * because no program's name has.
 */
function toCommands(value: string | readonly (string | readonly string[])[], key: string): Command[] {
  if (typeof value === 'string') return [toCommand(value, key)];
  const isArgv = value.every((each) => typeof each === 'string') && !/\s/.test(value[0] ?? ' ');
  if (isArgv) return [toCommand(value as readonly string[], key)];
  return value.map((each) => toCommand(each, key));
}

function toCommand(value: string | readonly string[], key: string): Command {
  if (typeof value === 'string') return createLineCommand(value, `"${key}" of berth.json`);
  return { title: value.join(' '), argv: value.map(keepReferences) };
}

/** An argv's own `$PORT` is meant as a reference; its `$$` is two dollars. */
function keepReferences(element: string): string {
  return element.split('$$').join(escapeElement('$$'));
}
