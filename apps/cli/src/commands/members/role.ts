import type { Role } from '@berth/contract';
import { defineCommand } from '../../command/command.ts';
import { cleanText } from '../../output/clean-text.ts';

/** `berth members role`. */
export const membersRole = defineCommand({
  name: 'role',
  summary: "Change a member's role",
  words: { '<id>': 'ID of the member, as `berth members ls` shows it', '<role>': 'owner, admin or member' },
  examples: [['berth members role usr_01jd3v9k2m admin', 'applies to their sessions and keys immediately']],
  async run({ words: [id = '', role = ''] }, { connect, output }) {
    const member = await (await connect()).post('/v1/user/members', { body: { user_id: id, role: role as Role } });
    output.json(member);
    output.print(cleanText(`${member.name} is ${member.role} now.`));
  },
});
