import type { ScheduleRun } from '@berth/contract';
import { defineCommand } from '../../command/command.ts';
import { readLimit, readPages } from '../../flags/read-pages.ts';
import { formatDuration } from '../../output/format-duration.ts';
import { describeRun, formatMinute, paintRun } from './format-run.ts';

/** Maximum runs of a page. Source: contract, `LIMITS.scheduleRunsPageMax`. */
const PAGE_RUNS = 200;

/** `berth cron history`. */
export const cronHistory = defineCommand({
  name: 'history',
  summary: 'Show the run history of a schedule, newest first',
  words: { '<name>': 'Name of the deployment' },
  options: { '--limit <number>': 'Maximum runs; 20 by default' },
  examples: [
    ['berth cron history my-app', 'the newest 20'],
    ['berth cron history my-app --json', 'with every attempt, one run per line'],
  ],
  async run({ words: [name = ''], options }, { connect, output }) {
    const wanted = readLimit(options.limit, 20);
    const client = await connect();
    const runs = await readPages(wanted, PAGE_RUNS, async (limit, page_token) => {
      const page = await client.get('/v1/schedule/runs', { params: { query: { name, limit, page_token } } });
      return [page.runs, page.next_page_token];
    });
    for (const run of runs) output.json(run);
    if (runs.length === 0) return output.say(`${name} has not run yet.`);
    const { style } = output;
    output.table(runs, [
      { heading: 'DUE', text: (run) => formatMinute(run.scheduled_at) },
      { heading: 'STATUS', text: (run) => run.status, paint: (text, run) => paintRun(run.status, text, style) },
      { heading: 'TRIES', text: (run) => String(run.attempts.length) },
      { heading: 'TOOK', text: tookText },
      { heading: 'BY', text: (run) => run.trigger },
      { heading: 'ANSWER', text: describeRun },
    ]);
  },
});

/** From the first try to the end. */
function tookText({ attempts: [first], ended_at }: ScheduleRun): string {
  if (first === undefined || ended_at === null) return '-';
  return formatDuration(Date.parse(ended_at) - Date.parse(first.started_at));
}
