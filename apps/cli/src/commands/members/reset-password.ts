import { defineCommand } from '../../command/command.ts';
import { cleanText } from '../../output/clean-text.ts';

/** `berth members reset-password`. */
export const membersResetPassword = defineCommand({
  name: 'reset-password',
  summary: 'Create a link with which a person sets a new password; it is printed once',
  description:
    'The link works once, within a day, and signs the person out everywhere. Share it yourself; people can ask for a link ' +
    'by e-mail on the sign-in page, if the server sends e-mail. Owners can do this for members who belong to no other account; the operator can do this for anyone.',
  words: { '<person>': 'E-mail address or ID of the person' },
  examples: [['berth members reset-password ada@example.com', 'a link for Ada']],
  async run({ words: [user = ''] }, { connect, output }) {
    const made = await (await connect()).post('/v1/user/members/reset-password', { body: { user } });
    output.json(made);
    output.say(cleanText(`Share this link with ${made.email} only. It is not shown again.`));
    output.print(cleanText(made.link));
  },
});
