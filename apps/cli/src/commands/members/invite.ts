import type { Role } from '@berth/contract';
import { defineCommand } from '../../command/command.ts';
import { cleanText } from '../../output/clean-text.ts';

/** `berth members invite`. */
export const membersInvite = defineCommand({
  name: 'invite',
  summary: 'Create an invitation link; it is printed once',
  description:
    'The link works once, within seven days. With --email, the server also sends it there, if it sends e-mail. Otherwise share the link yourself.',
  options: {
    '--role <role>': 'owner, admin or member; member by default',
    '--email <address>': 'E-mail address that can use the link; any by default',
  },
  examples: [
    ['berth members invite', 'a link for a member'],
    ['berth members invite --role admin --email ada@example.com', 'a link for that person only'],
  ],
  async run({ options: { role, email } }, { connect, output }) {
    const invite = await (await connect()).post('/v1/user/invites', {
      body: {
        // The server validates roles and lists them.
        ...(role === undefined ? {} : { role: role as Role }),
        ...(email === undefined ? {} : { email }),
      },
    });
    output.json(invite);
    output.say(`The person who opens this link becomes ${cleanText(invite.role)}. It is not shown again.`);
    if (invite.is_mailed) output.say(cleanText(`The link is also on its way to ${email}.`));
    output.print(cleanText(invite.link));
  },
});
