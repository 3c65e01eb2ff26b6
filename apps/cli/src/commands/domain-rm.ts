import { defineCommand } from '../command.ts';
import { cleanText } from '../output/clean-text.ts';

export const domainRm = defineCommand({
  name: 'rm',
  summary: 'Give up a domain; it leads nowhere from then on',
  words: [{ name: 'domain', description: 'A domain of the account' }],
  examples: [['berth domain rm shop.example.com', 'then let its DNS lead elsewhere']],
  async run({ words: [domain = ''] }, { connect, output }) {
    const { detail } = await (await connect()).removeDomain(domain);
    output.json({ domain, detail });
    output.print(cleanText(detail));
  },
});
