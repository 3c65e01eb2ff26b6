import { defineCommand } from '../../command/command.ts';
import { cleanText } from '../../output/clean-text.ts';

/** `berth email`. */
export const email = defineCommand({
  name: 'email',
  summary: 'Change the e-mail address that you sign in with',
  description:
    'Sends a link to the new address. The address changes when you open the link, within an hour. Requires a sign-in within the last 15 minutes, from `berth login --browser` or --email, and a server that sends e-mail.',
  words: { '<address>': 'Your new e-mail address' },
  examples: [['berth email ada@example.com', 'sends the link']],
  async run({ words: [address = ''] }, { connect, output }) {
    const answer = await (await connect()).post('/v1/user/email', { body: { email: address } });
    output.json(answer);
    output.print(cleanText(answer.detail));
  },
});
