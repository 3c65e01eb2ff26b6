import { defineCommand } from '../../command/command.ts';
import { cleanText } from '../../output/clean-text.ts';

/** `berth domain verify`. */
export const domainVerify = defineCommand({
  name: 'verify',
  summary: 'Look for the proof of a domain; when it is there, the domain leads to its deployment',
  words: { '<domain>': 'A domain that was added' },
  examples: [['berth domain verify shop.example.com', 'exit code 1 while the proof is not there']],
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
        message: `${told} is not proven yet.`,
        hints: [
          ...domain.problems.map(({ message }) => cleanText(message)),
          'A changed record may take an hour to be seen everywhere.',
        ],
      });
    }
    return 1;
  },
});
