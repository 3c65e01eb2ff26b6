import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { defineCommand } from '../../command/command.ts';
import { UsageError } from '../../errors/usage-error.ts';
import { findLinkedName } from '../../link/linked-name.ts';

/** `berth link`. */
export const link = defineCommand({
  name: 'link',
  summary: 'Use a deployment by default for commands in this folder',
  description:
    'Writes the name into berth.json, which `berth deploy` uses too. Commands such as `berth status`, `berth logs` and ' +
    '`berth restart` then need no name in this folder. Without a name, prints the linked one.',
  words: { '[name]': 'Name of the deployment' },
  examples: [
    ['berth link my-app', 'links this folder to my-app'],
    ['berth link', 'prints the name'],
  ],
  async run({ words: [name] }, context) {
    const { output, workingFolder } = context;
    const before = await findLinkedName(context);
    if (name === undefined) {
      if (before === undefined) throw new UsageError('This folder is not linked. Run `berth link NAME`.');
      output.json({ name: before, file: path.join(workingFolder, 'berth.json') });
      return output.print(before);
    }
    const client = await context.connect();
    // Another account's or an invalid name is refused; a free one is that of the first deploy.
    const { available, exists, reason } = await client.get('/v1/deployment/check-name', {
      params: { query: { name, existing: 'true' } },
    });
    if (!available) throw new UsageError(`The name ${name} can't be used: ${reason ?? 'it is taken.'}`);
    const file = path.join(workingFolder, 'berth.json');
    if (before !== name) await writeName(file, name);
    output.json({ name, file, exists: exists === true });
    output.say(`Linked this folder to ${name} in berth.json.`);
    if (!exists) output.say(`There is no deployment ${name} yet. \`berth deploy\` creates it.`);
    return undefined;
  },
});

/** Sets the name in a `berth.json` and keeps everything else and its indentation. */
async function writeName(file: string, name: string): Promise<void> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '{}';
    throw error;
  });
  const { $schema, name: _, ...rest } = JSON.parse(text.replace(/^\ufeff/, '')) as Record<string, unknown>;
  const indent = /^[ \t]+(?=")/m.exec(text)?.[0] ?? '  ';
  const project = { ...($schema === undefined ? {} : { $schema }), name, ...rest };
  // Replaced as a whole, so that a crash leaves the old file or the new one.
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    await writeFile(temporary, `${JSON.stringify(project, undefined, indent)}\n`, { flag: 'wx' });
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
