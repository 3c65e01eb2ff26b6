import { createError } from '@berth/contract';
import { escapeElement } from '@berth/runtime';
import { z } from 'zod';
import { type Command, createLineCommand } from './command.ts';

const text = z
  .string()
  .min(1)
  .max(16_384)
  .regex(/^[^\0]*$/, 'holds a NUL');
const argv = z.array(text).min(1).max(256);
const commands = z.union([text, argv, z.array(z.union([text, argv])).max(64)]);
const folder = z
  .string()
  .refine((path) => !path.startsWith('/') && !path.split('/').includes('..'), 'must be a folder inside the project');

/** `berth.json`, by which a project says itself what detection would guess. */
export const berthJsonSchema = z.strictObject({
  $schema: z.string().optional(),
  /** Replaces the install steps; `[]` for none. */
  install: commands.optional(),
  /** Replaces the build steps; `[]` for none. */
  build: commands.optional(),
  /** A line, or the argv of one command. */
  start: z.union([text, argv]).optional(),
  /** Environment of the install and build steps. */
  env: z.record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), z.string().regex(/^[^\0]*$/)).optional(),
  /** Serve this folder's files instead of starting a program. */
  static: z
    .union([folder, z.strictObject({ folder: folder.default('.'), single_page: z.boolean().default(false) })])
    .optional(),
});

/** What a `berth.json` says, taken apart. */
export interface BerthJson {
  readonly install?: readonly Command[];
  readonly build?: readonly Command[];
  readonly start?: Command;
  readonly env: Readonly<Record<string, string>>;
  readonly site?: { readonly folder: string; readonly isSinglePage: boolean };
}

/** @throws BerthError `build_failed` that names the fault and where it is. */
export function parseBerthJson(source: string): BerthJson {
  let json: unknown;
  try {
    json = JSON.parse(source.replace(/^\ufeff/, ''));
  } catch (error) {
    throw createError('build_failed', `berth.json is not JSON: ${error instanceof Error ? error.message : error}`);
  }
  const parsed = berthJsonSchema.safeParse(json);
  if (!parsed.success) {
    const faults = parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'it'}: ${message}`);
    throw createError('build_failed', `berth.json is wrong: ${faults.join('; ')}.`);
  }
  const { install, build, start, env = {}, static: site } = parsed.data;
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
