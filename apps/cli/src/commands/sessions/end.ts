import { defineCommand } from '../../command/command.ts';
import { UsageError } from '../../errors/usage-error.ts';
import { cleanText } from '../../output/clean-text.ts';

/** `berth sessions end`. */
export const sessionsEnd = defineCommand({
  name: 'end',
  summary: 'Sign out one of your sessions, or all others',
  description: 'Signs out immediately, without confirmation. Nothing is deleted, and you can sign in again.',
  words: { '[id]': 'ID of the session, as `berth sessions ls` shows it' },
  options: { '--others': 'All other sessions' },
  examples: [
    ['berth sessions end ses_01jd3v9k2m', 'signs out that session'],
    ['berth sessions end --others', 'signs out everywhere else'],
  ],
  async run({ words: [id], options: { others = false } }, { connect, output }) {
    if ((id === undefined) === !others) throw new UsageError('Pass the ID of a session, or --others.');
    const client = await connect();
    const answer =
      id === undefined
        ? await client.post('/v1/user/sessions/end-others')
        : await client.delete('/v1/user/sessions', { params: { query: { id } } });
    output.json(answer);
    output.print(cleanText(answer.detail));
  },
});
