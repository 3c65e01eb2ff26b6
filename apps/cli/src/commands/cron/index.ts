import type { CommandGroup } from '../../command/command.ts';
import { cronHistory } from './history.ts';
import { cronLs } from './ls.ts';
import { cronRun } from './run.ts';

/** `berth cron`. */
export const cron: CommandGroup = {
  name: 'cron',
  summary: 'Schedules and what became of their fires',
  commands: [cronLs, cronHistory, cronRun],
};
