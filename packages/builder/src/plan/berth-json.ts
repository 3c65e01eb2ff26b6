import { createError, readBerthJson } from '@berth/contract';
import { escapeElement } from '@berth/runtime';
import { type Command, createLineCommand } from './command.ts';

/** The build and start settings of a `berth.json`, without the deployment settings in the same file. */
export interface BerthJson {
  readonly install?: readonly Command[];
  readonly build?: readonly Command[];
  readonly start?: Command;
  readonly env: Readonly<Record<string, string>>;
  readonly site?: { readonly folder: string; readonly isSinglePage: boolean };
}

/** Parses a `berth.json`. @throws BerthError `build_failed` that names the problem and its position. */
export function parseBerthJson(source: string): BerthJson {
  const read = readBerthJson(source);
  if ('problem' in read) throw createError('build_failed', read.problem);
  const { install, build, start, env = {}, static: site } = read.file;
  if (start !== undefined && site !== undefined) {
    throw createError('build_failed', 'berth.json has both "start" and "static". Use only one.');
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
 * Parses one command or several. A list of texts is an argv, or several lines if its first text contains a space,
 * because program names don't.
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

/** Keeps references such as `$PORT` in an argv, and `$$` as two dollars. */
function keepReferences(element: string): string {
  return element.split('$$').join(escapeElement('$$'));
}
