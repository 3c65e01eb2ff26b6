import { defineCommand } from '../../command/command.ts';
import { cleanText } from '../../output/clean-text.ts';

/** `berth open`. */
export const open = defineCommand({
  name: 'open',
  summary: 'Print the URL of a deployment and open it in the browser',
  words: { '<name>': 'Name of the deployment' },
  examples: [
    ['berth open my-app', 'prints the URL and opens it'],
    ['curl "$(berth open my-app)"', 'prints only the URL, for scripts'],
  ],
  async run({ words: [name = ''] }, { connect, output, openBrowser }) {
    const { url } = await (await connect()).get('/v1/deployment/{name}', { params: { path: { name } } });
    output.json({ name, url });
    output.print(cleanText(url));
    if (output.isTerminal.result) await openBrowser(url);
  },
});
