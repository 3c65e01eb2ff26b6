import { defineCommand } from '../../command/command.ts';
import { cleanText } from '../../output/clean-text.ts';

/** `berth volume restore`. */
export const volumeRestore = defineCommand({
  name: 'restore',
  summary: 'Restore a volume deleted in the last 7 days',
  words: { '<name>': 'Name of the deleted volume' },
  examples: [['berth volume restore records', 'with its contents']],
  async run({ words: [name = ''] }, { connect, output }) {
    const { detail } = await (await connect()).post('/v1/volume/restore', { body: { name } });
    output.json({ name, detail });
    output.print(cleanText(detail));
  },
});
