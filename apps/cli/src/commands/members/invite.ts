import type { Role } from '@berth/contract';
import { defineCommand } from '../../command/command.ts';
import { cleanText } from '../../output/clean-text.ts';

/** `berth members invite`. */
export const membersInvite = defineCommand({
  name: 'invite',
  summary: 'Make a link that makes who opens it a member; it is printed once',
  description: 'The link is good once, for seven days. Berth sends no mail: hand it on yourself.',
  options: {
    '--role <role>': 'owner, admin or member; member by default',
    '--email <address>': 'The only address that may use it; any by default',
  },
  examples: [
    ['berth members invite', 'a link for a member'],
    ['berth members invite --role admin --email ada@example.com', 'one for that person alone'],
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
    output.say(`Whoever opens this link becomes ${cleanText(invite.role)}. It is not shown again.`);
    output.print(cleanText(invite.link));
  },
});
