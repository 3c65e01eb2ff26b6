import { defineCommand } from '../../command/command.ts';
import { formatMinute, paintRun } from './format-run.ts';

/** `berth cron ls`. */
export const cronLs = defineCommand({
  name: 'ls',
  summary: 'List schedules with their next run and last result',
  examples: [['berth cron ls', 'by name; times in UTC']],
  async run(_input, { connect, output }) {
    const schedules = await (await connect()).get('/v1/schedule/list');
    output.json(schedules);
    if (schedules.length === 0) {
      return output.say("No deployment has a schedule. Add one with `berth deploy --schedule '0 5 * * *'`.");
    }
    const { style } = output;
    output.table(schedules, [
      { heading: 'NAME', text: (row) => row.deployment_name, paint: style.bold },
      { heading: 'SCHEDULE', text: (row) => row.cron },
      { heading: 'ZONE', text: (row) => row.timezone },
      { heading: 'NEXT', text: (row) => (row.is_paused ? 'paused' : formatMinute(row.next_run_at)) },
      { heading: 'LAST', text: (row) => formatMinute(row.last_run?.scheduled_at ?? null) },
      {
        heading: 'STATUS',
        text: (row) => row.last_run?.status ?? '-',
        paint: (text, row) => paintRun(row.last_run?.status, text, style),
      },
    ]);
  },
});
