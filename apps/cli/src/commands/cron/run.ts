import type { Client } from '@berth/client';
import type { ScheduleRun } from '@berth/contract';
import { defineCommand } from '../../command/command.ts';
import { describeRun } from './format-run.ts';

/** How often the end of a run is asked for. */
const POLL_MS = 500;

/** `berth cron run`. */
export const cronRun = defineCommand({
  name: 'run',
  summary: "Run a deployment's schedule now, in addition to its scheduled times",
  words: { '<name>': 'Name of the deployment' },
  options: { '--no-wait': "Don't wait for the run to finish" },
  examples: [
    ['berth cron run my-app', 'exit code 1 if the last attempt fails'],
    ['berth cron run my-app --no-wait', 'then see `berth cron history my-app`'],
  ],
  async run({ words: [name = ''], options }, { connect, output, clock, signal }) {
    const client = await connect();
    let run = await client.post('/v1/schedule/run', { body: { name } });
    if (options.wait === false) {
      output.json(run);
      output.say(`Running. See it with \`berth cron history ${name}\`.`);
      return 0;
    }
    while (run.ended_at === null) {
      output.showStatus(statusLine(run));
      await clock.sleep(POLL_MS, signal);
      run = (await findRun(client, name, run.id)) ?? run;
    }
    output.clearStatus();
    output.json(run);
    output.print(
      `${run.status}: ${describeRun(run)} (${run.attempts.length === 1 ? '1 try' : `${run.attempts.length} tries`})`,
    );
    return run.status === 'succeeded' ? 0 : 1;
  },
});

/** Finds a run among the newest 200; it may no longer be the newest. */
async function findRun(client: Client, name: string, id: string): Promise<ScheduleRun | undefined> {
  const { runs } = await client.get('/v1/schedule/runs', { params: { query: { name, limit: 200 } } });
  return runs.find((run) => run.id === id);
}

function statusLine({ attempts, next_attempt_at }: ScheduleRun): string {
  if (next_attempt_at === null || attempts.length === 0) return 'Running…';
  return `Try ${attempts.length} failed (${attempts.at(-1)?.error}); next attempt at ${next_attempt_at.slice(11, 19)}Z`;
}
