import { defineCommand } from '../../command/command.ts';
import { cleanText } from '../../output/clean-text.ts';

/** `berth domain verify`. */
export const domainVerify = defineCommand({
  name: 'verify',
  summary: 'Verify a domain, then serve its deployment there',
  words: { '<domain>': 'Domain that was added' },
  examples: [['berth domain verify shop.example.com', 'exit code 1 while it is unverified']],
  async run({ words: [text = ''] }, { connect, output }) {
    const domain = await (await connect()).post('/v1/domain/verify', { body: { domain: text } });
    output.json(domain);
    const told = cleanText(domain.domain);
    if (domain.status === 'active') {
      output.print(`${told} leads to ${cleanText(domain.deployment_name)}.`);
      return 0;
    }
    if (!output.isJson) {
      output.fail({
        code: 'pending',
        message: `${told} is not verified yet.`,
        hints: [
          ...domain.problems.map(({ message }) => cleanText(message)),
          'DNS changes can take an hour to propagate.',
        ],
      });
    }
    return 1;
  },
});
