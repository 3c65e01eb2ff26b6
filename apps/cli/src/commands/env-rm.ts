import { defineCommand } from '../command.ts';

export const envRm = defineCommand({
  name: 'rm',
  summary: 'Remove environment variables of a deployment',
  words: [
    { name: 'name', description: 'Name of the deployment' },
    { name: 'key', description: 'Names of the variables', isVariadic: true },
  ],
  examples: [['berth env rm my-app API_TOKEN', 'makes a new revision without it']],
  async run({ words: [name = '', ...keys] }, { connect, output }) {
    await (await connect()).setEnv(name, { unset: keys });
    output.json({ name, set: [], unset: keys });
    output.print(`Removed ${keys.join(', ')} of ${name}.`);
  },
});
