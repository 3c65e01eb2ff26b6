import { ACTIVITY_WINDOWS, type ActivityWindow } from '@berth/contract';
import { defineCommand } from '../../command/command.ts';
import { UsageError } from '../../errors/usage-error.ts';
import { sparkline } from '../../output/sparkline.ts';
import { readActivity } from './read-activity.ts';

const WINDOWS = Object.keys(ACTIVITY_WINDOWS);
const CHART_WIDTH = 48;

/** `berth activity`. */
export const activity = defineCommand({
  name: 'activity',
  summary: 'Show requests and errors of all deployments',
  description: 'Errors are responses with status 500 or above. `berth metrics` shows one deployment in detail.',
  options: { '--window <span>': `${WINDOWS.join(' or ')}; 1h by default` },
  examples: [
    ['berth activity', 'the last hour, minute by minute'],
    ['berth activity --window 24h --json', 'one day as JSON'],
  ],
  async run({ options: { window = '1h' } }, context) {
    const { connect, output } = context;
    if (!isWindow(window)) throw new UsageError(`--window: write ${WINDOWS.join(' or ')}`);
    const answer = await readActivity(await connect(), window, context);
    output.json(answer);
    if (!answer.is_complete) output.warn('Requests from before the last restart are still being counted. Try again.');
    if (answer.deployments.length === 0) {
      output.say(`No requests in the last ${window}.`);
      return;
    }
    output.table(answer.deployments, [
      { heading: 'NAME', text: (row) => row.name },
      { heading: 'REQUESTS', text: (row) => String(sum(row.requests)) },
      { heading: 'ERRORS', text: (row) => String(sum(row.errors)) },
      {
        heading: `OLDEST FIRST, ${answer.step_seconds / 60} MIN PER STEP`,
        text: (row) => sparkline(row.requests, output.style.signs, CHART_WIDTH),
      },
    ]);
  },
});

function isWindow(window: string): window is ActivityWindow {
  return Object.hasOwn(ACTIVITY_WINDOWS, window);
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}
