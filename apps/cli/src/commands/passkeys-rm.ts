import { defineCommand } from '../command.ts';

export const passkeysRm = defineCommand({
  name: 'rm',
  summary: 'Remove a passkey; nobody signs in with it any more',
  words: [{ name: 'id', description: 'Id of the passkey, as `berth passkeys ls` shows it' }],
  examples: [['berth passkeys rm pky_01jd3v9k2m', 'your only way to sign in stays']],
  async run({ words: [id = ''] }, { connect, output }) {
    const answer = await (await connect()).deletePasskey(id);
    output.json(answer);
    output.print(answer.detail);
  },
});
