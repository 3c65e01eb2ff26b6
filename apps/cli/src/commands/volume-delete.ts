import { defineCommand } from '../command.ts';
import { cleanText } from '../output/clean-text.ts';

export const volumeDelete = defineCommand({
  name: 'delete',
  summary: 'Delete a volume with all that is in it; it can be restored for 7 days',
  words: [{ name: 'name', description: 'Name of the volume; no deployment may have it mounted' }],
  examples: [['berth volume delete records', 'then `berth volume restore records` brings it back']],
  async run({ words: [name = ''] }, { connect, output }) {
    const { detail } = await (await connect()).deleteVolume(name);
    output.json({ name, detail });
    output.print(cleanText(detail));
  },
});
