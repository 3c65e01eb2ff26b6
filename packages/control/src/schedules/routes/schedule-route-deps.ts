import type { Schedules } from '../create-schedules.ts';

/** What the routes work with. */
export interface ScheduleRouteDeps {
  readonly schedules: Pick<Schedules, 'list' | 'runs' | 'run'>;
}
