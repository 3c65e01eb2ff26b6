import { defineCommand } from '../command.ts';

export const membersRm = defineCommand({
  name: 'rm',
  summary: 'Remove a member; the keys that they made end',
  words: [{ name: 'id', description: 'Id of the member, as `berth members ls` shows it' }],
  examples: [['berth members rm usr_01jd3v9k2m', 'they can do nothing in the account any more']],
  async run({ words: [id = ''] }, { connect, output }) {
    const answer = await (await connect()).removeMember(id);
    output.json(answer);
    output.print(answer.detail);
  },
});
