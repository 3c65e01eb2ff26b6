import { defineCommand } from '../../command/command.ts';
import { cleanText } from '../../output/clean-text.ts';

/** `berth profile`. */
export const profile = defineCommand({
  name: 'profile',
  summary: 'Change what you are called',
  description:
    'For people who are signed in, with `berth login --browser` or --email. `berth whoami` says who you are.',
  words: { '<name>': 'Your name, as others of your accounts see it' },
  examples: [['berth profile "Ada Lovelace"', 'on every page from now on']],
  async run({ words: [name = ''] }, { connect, output }) {
    const person = await (await connect()).post('/v1/user/profile', { body: { name } });
    output.json(person);
    output.print(cleanText(`You are called ${person.name} now.`));
  },
});
