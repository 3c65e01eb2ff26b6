import { FEEDBACK_RATINGS, type Feedback } from '@berth/contract/agent';
import { AGENT_OPTIONS, AGENT_WORD, useAgent } from '../../chat/use-agent.ts';
import { defineCommand } from '../../command/command.ts';
import { UsageError } from '../../errors/usage-error.ts';
import { toEvalCase } from '../../eval/feedback-case.ts';
import { readMoment } from '../../flags/read-moment.ts';
import { formatAge } from '../../output/format-age.ts';

/** Characters of a question or note in the table. */
const CELL = 60;

/** `berth chat feedback`. */
export const chatFeedback = defineCommand({
  name: 'feedback',
  summary: 'List feedback on answers, or write it as evaluation cases',
  description:
    'Oldest change first. Admins of an organization see the feedback of all members; other people see their own. --jsonl prints one case per line for `berth eval --grader`.',
  words: AGENT_WORD,
  options: {
    '--since <when>': 'Start: a duration such as 7d, or an RFC 3339 time',
    '--rating <rating>': 'Only up or down',
    '--jsonl': 'Print cases for `berth eval`',
    ...AGENT_OPTIONS,
  },
  examples: [
    ['berth chat feedback my-agent', 'all feedback'],
    ['berth chat feedback my-agent --since 7d --rating down', 'what went wrong in the last week'],
    ['berth chat feedback my-agent --jsonl > evals/feedback.jsonl', 'cases for `berth eval --grader MODEL`'],
    ['berth chat feedback my-agent --json', 'with questions and answers, as one JSON array'],
  ],
  async run({ words: [word = ''], options }, context) {
    const { output, clock } = context;
    const rating = FEEDBACK_RATINGS.find((one) => one === options.rating);
    if (options.rating !== undefined && !rating) throw new UsageError('--rating must be up or down');
    const since = options.since === undefined ? '' : readMoment('--since', options.since, clock.nowMs());
    const rows = await useAgent(word, options, context, async (agent) => {
      const found: Feedback[] = [];
      for await (const one of agent.listFeedback(rating)) {
        if (since === '' || Date.parse(one.updated_at) >= Date.parse(since)) found.push(one);
      }
      return found;
    });
    if (options.jsonl) {
      const cases = rows.flatMap((row) => toEvalCase(row) ?? []);
      for (const one of cases) {
        output.print(JSON.stringify(one));
        output.json(one);
      }
      if (cases.length < rows.length) output.warn(`${rows.length - cases.length} without a question left out.`);
      return;
    }
    output.json(rows);
    if (rows.length === 0) return output.say('No feedback.');
    output.table(rows, [
      { heading: 'RATING', text: (row) => row.rating ?? '' },
      { heading: 'UPDATED', text: (row) => formatAge(row.updated_at, clock.nowMs()) },
      { heading: 'QUESTION', text: (row) => cut(row.question), paint: output.style.bold },
      { heading: 'NOTE', text: (row) => cut(row.note) },
      { heading: 'CHAT', text: (row) => row.chat_id },
    ]);
  },
});

/** Returns the text on one line, shortened. */
function cut(text: string): string {
  const characters = [...text.replaceAll(/\s+/g, ' ').trim()];
  return characters.length > CELL ? `${characters.slice(0, CELL - 1).join('')}…` : characters.join('');
}
