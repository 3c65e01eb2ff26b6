import { defineCommand } from '../command.ts';

export const keysRm = defineCommand({
  name: 'rm',
  summary: 'Revoke an API key, at once and for good',
  words: [{ name: 'id', description: 'Id of the key, as `berth keys ls` shows it' }],
  examples: [['berth keys rm key_01jd3v9k2m', 'who has it can do nothing any more']],
  async run({ words: [id = ''] }, { connect, output }) {
    await (await connect()).deleteKey(id);
    output.json({ id, revoked: true });
    output.print(`Revoked ${id}.`);
  },
});
