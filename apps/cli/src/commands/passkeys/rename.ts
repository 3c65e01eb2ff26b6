import { defineCommand } from '../../command/command.ts';
import { cleanText } from '../../output/clean-text.ts';

/** `berth passkeys rename`. */
export const passkeysRename = defineCommand({
  name: 'rename',
  summary: 'Give a passkey another name',
  words: { '<id>': 'Id of the passkey, as `berth passkeys ls` shows it', '<name>': 'What you know it by' },
  examples: [['berth passkeys rename pky_01jd3v9k2m "blue key"', 'for your eyes only']],
  async run({ words: [id = '', name = ''] }, { connect, output }) {
    const passkey = await (await connect()).post('/v1/user/passkeys/rename', { body: { id, name } });
    output.json(passkey);
    output.print(cleanText(`${passkey.id} is called ${passkey.name} now.`));
  },
});
