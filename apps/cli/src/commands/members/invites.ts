import { defineCommand } from '../../command/command.ts';

/** `berth members invites`. */
export const membersInvites = defineCommand({
  name: 'invites',
  summary: 'List unused invitations',
  examples: [['berth members invites', 'without their links']],
  async run(_input, { connect, output }) {
    const invites = await (await connect()).get('/v1/user/invites');
    output.json(invites);
    output.table(invites, [
      { heading: 'ID', text: (row) => row.id },
      { heading: 'ROLE', text: (row) => row.role },
      { heading: 'FOR', text: (row) => row.email ?? 'anybody' },
      { heading: 'EXPIRES', text: (row) => row.expires_at },
    ]);
  },
});
