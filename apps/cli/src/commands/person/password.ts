import { defineCommand } from '../../command/command.ts';
import { UsageError } from '../../errors/usage-error.ts';

/** `berth password`. */
export const password = defineCommand({
  name: 'password',
  summary: 'Change your password',
  description:
    'Prompts for the current and the new password, or reads them as two lines from standard input. Your other ' +
    'sessions are signed out unless you pass --keep-sessions.',
  options: { '--keep-sessions': 'Leave your other sessions signed in' },
  examples: [
    ['berth password', 'prompts, and signs out all other sessions'],
    ['berth password --keep-sessions', 'keeps other sessions signed in'],
  ],
  async run({ options: { keepSessions = false } }, { connect, target, config, prompts, readInput, output }) {
    const { baseUrl, credential } = await target();
    if (!credential || !('bearer' in credential)) {
      throw new UsageError('Only a person has a password: sign in with `berth login --email` or --browser first.');
    }
    const asked = prompts.isInteractive
      ? [await prompts.secret('Current password'), await prompts.secret('New password, 12 characters or more')]
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
    output.print(keepSessions ? 'Password changed.' : 'Password changed. All other sessions were signed out.');
  },
});
