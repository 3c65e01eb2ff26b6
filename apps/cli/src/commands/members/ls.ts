import { defineCommand } from '../../command/command.ts';

/** `berth members ls`. */
export const membersLs = defineCommand({
  name: 'ls',
  summary: 'List the people of the account and their roles',
  examples: [['berth members ls', 'names, roles and join dates']],
  async run(_input, { connect, output }) {
    const members = await (await connect()).get('/v1/user/members');
    output.json(members);
    output.table(members, [
      { heading: 'ID', text: (row) => row.user_id },
      { heading: 'NAME', text: (row) => (row.is_you ? `${row.name} (you)` : row.name) },
      { heading: 'E-MAIL', text: (row) => row.email },
      { heading: 'ROLE', text: (row) => row.role },
      { heading: 'JOINED', text: (row) => row.joined_at },
    ]);
  },
});
