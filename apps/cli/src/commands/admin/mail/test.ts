import { defineCommand } from '../../../command/command.ts';
import { cleanText } from '../../../output/clean-text.ts';

/** `berth admin mail test`. */
export const adminMailTest = defineCommand({
  name: 'test',
  summary: 'Send a test mail now',
  description: "Bypasses the queue, so that the mail server's answer is shown at once.",
  words: { '<address>': 'E-mail address of the recipient' },
  examples: [['berth admin mail test you@example.com', 'whether the SMTP settings work']],
  async run({ words: [email = ''] }, { connect, output }) {
    const sent = await (await connect()).post('/v1/admin/mail/test', { body: { email } });
    output.json(sent);
    output.print(cleanText(sent.detail));
  },
});
