import type { Api } from '@berth/accounts';
import { registerListScheduleRuns } from './list-runs.ts';
import { registerListSchedules } from './list-schedules.ts';
import { registerRunSchedule } from './run-schedule.ts';
import type { ScheduleRouteDeps } from './schedule-route-deps.ts';

/** `/v1/schedule/…`. */
export function registerScheduleRoutes(api: Api, deps: ScheduleRouteDeps): void {
  registerListSchedules(api, deps);
  registerListScheduleRuns(api, deps);
  registerRunSchedule(api, deps);
}
