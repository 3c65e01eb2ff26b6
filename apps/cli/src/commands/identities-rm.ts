import { defineCommand } from '../command.ts';

export const identitiesRm = defineCommand({
  name: 'rm',
  summary: 'Sign in with a provider no more',
  words: [{ name: 'id', description: 'Id of the identity, as `berth identities ls` shows it' }],
  examples: [['berth identities rm cre_01jd3v9k2m', 'the last way to sign in stays']],
  async run({ words: [id = ''] }, { connect, output }) {
    const answer = await (await connect()).unlinkIdentity(id);
    output.json(answer);
    output.print(answer.detail);
  },
});
