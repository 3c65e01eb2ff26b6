import { defineCommand } from '../../command/command.ts';
import { cleanText } from '../../output/clean-text.ts';

/** `berth alerts test`. */
export const alertsTest = defineCommand({
  name: 'test',
  summary: 'Send a test over every channel of an alert',
  words: { '<id>': 'ID of the alert' },
  examples: [['berth alerts test alr_…', 'then see `berth alerts history alr_…`']],
  async run({ words: [id = ''] }, { connect, output }) {
    const event = await (await connect()).post('/v1/alerts/test', { body: { id } });
    output.json(event);
    output.print(cleanText(`Test ${event.id} is on its way. See \`berth alerts history ${id}\`.`));
  },
});
