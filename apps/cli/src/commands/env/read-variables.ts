import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { VARIABLE_NAME_PATTERN } from '@berth/contract/service-environment';
import type { Context } from '../../command/context.ts';
import { UsageError } from '../../errors/usage-error.ts';

/** Options of the commands that set variables. */
export const VARIABLE_OPTIONS = {
  '--from-file <file>': 'Read variables from a .env file; - reads standard input',
  '--plain': 'They are not secret: their values are shown in lists',
} as const;

/**
 * Reads variables from words of the form KEY=VALUE and from a file; words win. Prompts for the value of a KEY alone.
 * @throws UsageError also when there are none
 */
export async function readVariables(
  words: readonly string[],
  options: { readonly fromFile?: string | undefined; readonly plain?: boolean | undefined },
  context: Context,
): Promise<{ readonly set: Record<string, string>; readonly plain: string[] }> {
  const set: Record<string, string> = {};
  if (options.fromFile !== undefined) Object.assign(set, await readEnvFile(options.fromFile, context));
  for (const word of words) {
    const { key, value } = await readPair(word, context);
    set[key] = value;
  }
  const keys = Object.keys(set);
  if (keys.length === 0) throw new UsageError('Nothing to set. Give KEY=VALUE, or --from-file .env');
  return { set, plain: options.plain ? keys : [] };
}

async function readPair(word: string, { prompts }: Context): Promise<{ key: string; value: string }> {
  const at = word.indexOf('=');
  const key = at === -1 ? word : word.slice(0, at);
  // The argument is not repeated, because it may be a secret without its name.
  if (!VARIABLE_NAME_PATTERN.test(key))
    throw new UsageError('Write variables as KEY=VALUE. A KEY has letters, digits and "_", and starts with no digit.');
  if (at !== -1) return { key, value: word.slice(at + 1) };
  if (!prompts.isInteractive) throw new UsageError(`${key} has no value. Write ${key}=VALUE.`);
  return { key, value: await prompts.secret(`Value of ${key}`) };
}

async function readEnvFile(file: string, { workingFolder, readInput }: Context): Promise<Record<string, string>> {
  if (file === '-') return parse(await readInput());
  return parse(await readFile(path.resolve(workingFolder, file), 'utf8'));
}

function parse(text: string): Record<string, string> {
  const values: Record<string, string> = {};
  for (const [key, value] of Object.entries(parseEnv(text.replace(/^\uFEFF/, '')))) {
    if (value !== undefined) values[key] = value;
  }
  return values;
}
