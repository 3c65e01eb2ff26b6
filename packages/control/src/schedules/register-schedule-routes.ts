import type { Api } from '../http/api.ts';
import { registerListScheduleRuns } from './routes/list-runs.ts';
import { registerListSchedules } from './routes/list-schedules.ts';
import { registerRunSchedule } from './routes/run-schedule.ts';
import type { ScheduleRouteDeps } from './schedule-route-deps.ts';

/** `/v1/schedule/…`. */
export function registerScheduleRoutes(api: Api, deps: ScheduleRouteDeps): void {
  registerListSchedules(api, deps);
  registerListScheduleRuns(api, deps);
  registerRunSchedule(api, deps);
}
