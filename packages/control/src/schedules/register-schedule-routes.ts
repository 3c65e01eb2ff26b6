import type { Api } from '../http/api.ts';
import type { Schedules } from './create-schedules.ts';
import { registerListScheduleRuns } from './routes/list-runs.ts';
import { registerListSchedules } from './routes/list-schedules.ts';
import { registerRunSchedule } from './routes/run-schedule.ts';

/** What the routes work with. */
export interface ScheduleRouteDeps {
  readonly schedules: Pick<Schedules, 'list' | 'runs' | 'run'>;
}

/** `/v1/schedule/…`. */
export function registerScheduleRoutes(api: Api, deps: ScheduleRouteDeps): void {
  registerListSchedules(api, deps);
  registerListScheduleRuns(api, deps);
  registerRunSchedule(api, deps);
}
