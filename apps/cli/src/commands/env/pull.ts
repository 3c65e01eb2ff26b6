import { access, readFile } from 'node:fs/promises';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { VARIABLE_NAME_PATTERN } from '@berth/contract/service-environment';
import { writePrivateFile } from '@berth/kit/node';
import { defineCommand } from '../../command/command.ts';
import { UsageError } from '../../errors/usage-error.ts';
import { LINKED_WORD, requireName } from '../../link/linked-name.ts';

/** `berth env pull`. */
export const envPull = defineCommand({
  name: 'pull',
  summary: 'Write a .env file with the variables of a deployment, for local use',
  description:
    'The server never returns the values of secrets, so each of them is a commented line for you to fill in. The file is readable by ' +
    'you alone. An existing file is kept unless you add --force; values that it has for these variables are then taken over.',
  words: LINKED_WORD,
  options: {
    '--file <file>': 'The file; .env by default',
    '--force': 'Replace an existing file',
  },
  examples: [
    ['berth env pull my-app', 'writes .env'],
    ['berth env pull my-app --file .env.local --force', 'updates a file, keeping its values'],
  ],
  async run({ words: [word], options }, context) {
    const { output, workingFolder } = context;
    const name = await requireName(word, context);
    const file = path.resolve(workingFolder, options.file ?? '.env');
    const isThere = await access(file).then(
      () => true,
      () => false,
    );
    if (isThere && !options.force) throw new UsageError(`${file} exists. Add --force to replace it.`);
    const client = await context.connect();
    const listed = await client.get('/v1/env/list', { params: { query: { name } } });
    // A name of another form could add lines to the file.
    const variables = listed.filter(({ key }) => VARIABLE_NAME_PATTERN.test(key));
    const known = isThere ? parseEnv(await readFile(file, 'utf8')) : {};
    const lines = variables.map(({ key, value }) => [key, known[key] ?? value] as const);
    const kept = variables.filter(({ key }) => known[key] !== undefined).map(({ key }) => key);
    const unreadable = lines.filter(([, value]) => value === undefined).map(([key]) => key);
    const text = [
      `# Variables of the deployment ${name}. Secrets are not readable from the server: fill in the commented ones.`,
      ...lines.map(([key, value]) => (value === undefined ? `# ${key}=` : `${key}=${quote(key, value)}`)),
    ];
    await writePrivateFile(file, `${text.join('\n')}\n`);
    output.json({ name, file, kept, unreadable });
    output.print(file);
    if (kept.length > 0) output.say(`Kept from the old file: ${kept.join(', ')}.`);
    if (unreadable.length > 0) output.say(`Not readable, fill in by hand: ${unreadable.join(', ')}.`);
    if (variables.length === 0) output.say(`${name} has no environment variables of its own.`);
  },
});

/** Quotes a value so that `parseEnv` reads the same one. @throws UsageError when no quotes can */
function quote(key: string, value: string): string {
  if (/^[\w@%+=:,./-]*$/.test(value)) return value;
  const mark = ["'", '`', '"'].find((one) => !value.includes(one) && (one !== '"' || !value.includes('\\n')));
  if (mark === undefined) throw new UsageError(`The old value of ${key} has all kinds of quotes. Use another --file.`);
  return `${mark}${value}${mark}`;
}
