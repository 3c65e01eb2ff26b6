import { defineCommand } from '../command.ts';

export const membersUninvite = defineCommand({
  name: 'uninvite',
  summary: 'Take an invitation back',
  words: [{ name: 'id', description: 'Id of the invitation, as `berth members invites` shows it' }],
  examples: [['berth members uninvite inv_01jd3v9k2m', 'its link is good for nothing then']],
  async run({ words: [id = ''] }, { connect, output }) {
    const answer = await (await connect()).deleteInvite(id);
    output.json(answer);
    output.print(answer.detail);
  },
});
