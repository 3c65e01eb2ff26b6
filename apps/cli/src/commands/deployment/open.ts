import { defineCommand } from '../../command/command.ts';
import { cleanText } from '../../output/clean-text.ts';

/** `berth open`. */
export const open = defineCommand({
  name: 'open',
  summary: 'Print the address of a deployment, and show it in the browser of a desktop',
  words: { '<name>': 'Name of the deployment' },
  examples: [
    ['berth open my-app', 'opens it'],
    ['curl "$(berth open my-app)"', 'the address alone, in a script'],
  ],
  async run({ words: [name = ''] }, { connect, output, openBrowser }) {
    const { url } = await (await connect()).get('/v1/deployment/{name}', { params: { path: { name } } });
    output.json({ name, url });
    output.print(cleanText(url));
    if (output.isTerminal.result) await openBrowser(url);
  },
});
