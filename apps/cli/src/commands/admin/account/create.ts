import { defineCommand } from '../../../command/command.ts';
import { UsageError } from '../../../errors/usage-error.ts';
import { cleanText } from '../../../output/clean-text.ts';

/** `berth admin account create`. */
export const accountCreate = defineCommand({
  name: 'create',
  summary: 'Create an account and its first API key, which is printed once',
  words: { '<name>': 'Account name: a-z, 0-9 and "-"' },
  options: {
    '--email <address>': 'Also create a person with this e-mail; prompts for the password',
    '--password-stdin': 'Read the password from standard input',
  },
  examples: [
    ['berth admin account create acme', 'an account with an API key only'],
    ['berth admin account create acme --email ada@acme.test', 'an account with a person who can sign in'],
  ],
  async run({ words: [name = ''], options }, context) {
    const { output, prompts } = context;
    let password: string | undefined;
    if (options.email !== undefined) {
      if (options.passwordStdin) password = (await context.readInput()).replace(/\r?\n$/, '');
      else if (prompts.isInteractive)
        password = await prompts.secret(`Password of ${options.email}, 12 characters or more`);
      else throw new UsageError('--email needs a password. Pipe it in with --password-stdin.');
    } else if (options.passwordStdin) throw new UsageError('--password-stdin requires --email.');
    const created = await (await context.connect()).post('/v1/admin/accounts', {
      body: {
        name,
        ...(options.email !== undefined && password !== undefined ? { user: { email: options.email, password } } : {}),
      },
    });
    output.json(created);
    output.say(cleanText(`Made the account ${created.account.name} (${created.account.id}).`));
    output.say('Its API key, shown only once:');
    output.print(cleanText(created.key.secret));
  },
});
