import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { VARIABLE_NAME_PATTERN } from '@berth/contract/service-environment';
import { defineCommand } from '../../command/command.ts';
import type { Context } from '../../command/context.ts';
import { UsageError } from '../../errors/usage-error.ts';
import { applyEnvironment } from './apply-environment.ts';

/** `berth env set`. */
export const envSet = defineCommand({
  name: 'set',
  summary: 'Set environment variables and secrets of a deployment',
  description:
    "Values are encrypted, belong to the deployment's name, and persist across deploys. A change deploys a new revision. " +
    'You can set variables before the first deploy. For a KEY without a value, the command prompts for it.',
  words: { '<name>': 'Name of the deployment', '[key=value...]': 'Variables' },
  options: { '--from-file <file>': 'Read variables from a .env file; - reads standard input' },
  examples: [
    ['berth env set my-app LOG_LEVEL=debug REGION=eu', 'two variables'],
    ['berth env set my-app API_TOKEN', 'prompts for the value, keeping it out of the shell history'],
    ['berth env set my-app --from-file .env', 'all variables of a file'],
  ],
  async run({ words: [name = '', ...words], options }, context) {
    const set: Record<string, string> = {};
    if (options.fromFile !== undefined) Object.assign(set, await readEnvFile(options.fromFile, context));
    for (const word of words) {
      const { key, value } = await readPair(word, context);
      set[key] = value;
    }
    const keys = Object.keys(set);
    if (keys.length === 0) throw new UsageError('Nothing to set. Give KEY=VALUE, or --from-file .env');
    return applyEnvironment(name, { set }, context);
  },
});

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
