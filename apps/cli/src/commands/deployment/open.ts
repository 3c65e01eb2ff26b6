import { defineCommand } from '../../command/command.ts';
import { LINKED_WORD, requireName } from '../../link/linked-name.ts';
import { cleanText } from '../../output/clean-text.ts';

/** `berth open`. */
export const open = defineCommand({
  name: 'open',
  summary: 'Print the URL of a deployment and open it in the browser',
  words: LINKED_WORD,
  examples: [
    ['berth open my-app', 'prints the URL and opens it'],
    ['curl "$(berth open my-app)"', 'prints only the URL, for scripts'],
  ],
  async run({ words: [word] }, context) {
    const { connect, output, openBrowser } = context;
    const name = await requireName(word, context);
    const { url } = await (await connect()).get('/v1/deployment/{name}', { params: { path: { name } } });
    output.json({ name, url });
    output.print(cleanText(url));
    if (output.isTerminal.result) await openBrowser(url);
  },
});
