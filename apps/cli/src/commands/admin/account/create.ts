import { defineCommand } from '../../../command/command.ts';
import { UsageError } from '../../../errors/usage-error.ts';
import { cleanText } from '../../../output/clean-text.ts';

/** `berth admin account create`. */
export const accountCreate = defineCommand({
  name: 'create',
  summary: 'Make an account and its first API key, which is printed once',
  words: { '<name>': 'Name of the account: a-z, 0-9 and "-"' },
  options: {
    '--email <address>': 'Also make a person who can sign in; the password is asked for',
    '--password-stdin': 'Read that password from standard input',
  },
  examples: [
    ['berth admin account create acme', 'an account for programs'],
    ['berth admin account create acme --email ada@acme.test', 'one with a person'],
  ],
  async run({ words: [name = ''], options }, context) {
    const { output, prompts } = context;
    let password: string | undefined;
    if (options.email !== undefined) {
      if (options.passwordStdin) password = (await context.readInput()).replace(/\r?\n$/, '');
      else if (prompts.isInteractive)
        password = await prompts.secret(`Password of ${options.email}, 12 characters or more`);
      else throw new UsageError('--email needs a password. Pipe it in, with --password-stdin.');
    } else if (options.passwordStdin) throw new UsageError('--password-stdin goes with --email.');
    const created = await (await context.connect()).post('/v1/admin/accounts', {
      body: {
        name,
        ...(options.email !== undefined && password !== undefined ? { user: { email: options.email, password } } : {}),
      },
    });
    output.json(created);
    output.say(cleanText(`Made the account ${created.account.name} (${created.account.id}).`));
    output.say('This is its API key. It is not shown again.');
    output.print(cleanText(created.key.secret));
  },
});
