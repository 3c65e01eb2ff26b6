import { defineCommand } from '../../command/command.ts';
import { UsageError } from '../../errors/usage-error.ts';
import { cleanText } from '../../output/clean-text.ts';

/** `berth sessions end`. */
export const sessionsEnd = defineCommand({
  name: 'end',
  summary: 'End one of your sessions, or all but this one',
  description: 'Ends at once, without a question: nothing is deleted, and you can sign in again.',
  words: { '[id]': 'Id of the session, as `berth sessions ls` shows it' },
  options: { '--others': 'All but the one that asks' },
  examples: [
    ['berth sessions end ses_01jd3v9k2m', 'who has it is signed out'],
    ['berth sessions end --others', 'signs out everywhere else'],
  ],
  async run({ words: [id], options: { others = false } }, { connect, output }) {
    if ((id === undefined) === !others) throw new UsageError('Give the id of a session, or --others.');
    const client = await connect();
    const answer =
      id === undefined
        ? await client.post('/v1/user/sessions/end-others')
        : await client.delete('/v1/user/sessions', { params: { query: { id } } });
    output.json(answer);
    output.print(cleanText(answer.detail));
  },
});
