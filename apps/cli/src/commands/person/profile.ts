import { defineCommand } from '../../command/command.ts';
import { cleanText } from '../../output/clean-text.ts';

/** `berth profile`. */
export const profile = defineCommand({
  name: 'profile',
  summary: 'Change your display name',
  description: "Requires a person's session, from `berth login --browser` or --email. `berth whoami` shows your name.",
  words: { '<name>': 'Your name, as members of your accounts see it' },
  examples: [['berth profile "Ada Lovelace"', 'on every page from now on']],
  async run({ words: [name = ''] }, { connect, output }) {
    const person = await (await connect()).post('/v1/user/profile', { body: { name } });
    output.json(person);
    output.print(cleanText(`Your name is now ${person.name} now.`));
  },
});
