import { defineCommand } from '../command.ts';
import { cleanText } from '../output/clean-text.ts';
import { UsageError } from '../usage-error.ts';

export const rm = defineCommand<{ readonly yes?: boolean }>({
  name: 'rm',
  summary: 'Delete a deployment; its volumes keep their data',
  words: [{ name: 'name', description: 'Name of the deployment' }],
  options: [{ flags: '-y, --yes', description: 'Do not ask' }],
  examples: [
    ['berth rm my-app', 'asks for the name once more'],
    ['berth rm my-app -y', 'for scripts'],
  ],
  async run({ words: [name = ''], options }, { connect, output, prompts }) {
    if (!options.yes && !prompts.isInteractive) {
      throw new UsageError('Deleting asks first, and there is nobody to ask. Add -y to delete without asking.');
    }
    const client = await connect();
    if (!options.yes) {
      const { url } = await client.getDeployment(name);
      const typed = await prompts.text(`This ends ${url}. Type ${name} to delete it`);
      if (typed.trim() !== name) {
        output.warn('That is another name. Nothing was deleted.');
        return 1;
      }
    }
    const { detail } = await client.deleteDeployment(name);
    output.json({ name, detail });
    output.print(cleanText(detail));
    return 0;
  },
});
