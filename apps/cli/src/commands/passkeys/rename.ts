import { defineCommand } from '../../command/command.ts';
import { cleanText } from '../../output/clean-text.ts';

/** `berth passkeys rename`. */
export const passkeysRename = defineCommand({
  name: 'rename',
  summary: 'Rename a passkey',
  words: { '<id>': 'ID of the passkey, as `berth passkeys ls` shows it', '<name>': 'New name' },
  examples: [['berth passkeys rename pky_01jd3v9k2m "blue key"', 'only you see the name']],
  async run({ words: [id = '', name = ''] }, { connect, output }) {
    const passkey = await (await connect()).post('/v1/user/passkeys/rename', { body: { id, name } });
    output.json(passkey);
    output.print(cleanText(`${passkey.id} is called ${passkey.name} now.`));
  },
});
