import { defineCommand } from '../../command/command.ts';
import { UsageError } from '../../errors/usage-error.ts';

/** `berth password`. */
export const password = defineCommand({
  name: 'password',
  summary: 'Change your password',
  description:
    'Asks for the password that is good now and for the new one, or reads them as two lines from standard input. Everything ' +
    'else that is signed in as you ends, unless you say otherwise.',
  options: { '--keep-sessions': 'Leave your other sessions signed in' },
  examples: [
    ['berth password', 'asks, and signs out everywhere else'],
    ['berth password --keep-sessions', 'signs nobody out'],
  ],
  async run({ options: { keepSessions = false } }, { connect, target, config, prompts, readInput, output }) {
    const { baseUrl, credential } = await target();
    if (!credential || !('bearer' in credential)) {
      throw new UsageError('Only a person has a password: sign in with `berth login --email` or --browser first.');
    }
    const asked = prompts.isInteractive
      ? [await prompts.secret('Password now'), await prompts.secret('New password, 12 characters or more')]
      : (await readInput()).split(/\r?\n/);
    const [current_password = '', new_password = ''] = asked;
    const client = await connect();
    const answer = await client.post('/v1/auth/change-password', {
      body: { current_password, new_password, end_other_sessions: !keepSessions },
    });
    const bearer = answer.token ?? credential.bearer;
    const before = await config.read();
    await config.write({ ...before, servers: { ...before.servers, [baseUrl]: { bearer } } });
    output.json({ user: answer.user, expires_at: answer.expires_at });
    output.print(keepSessions ? 'The password is changed.' : 'The password is changed; all other sessions are ended.');
  },
});
