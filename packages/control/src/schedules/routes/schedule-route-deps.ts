import type { Schedules } from '../create-schedules.ts';

/** The dependencies of the routes. */
export interface ScheduleRouteDeps {
  readonly schedules: Pick<Schedules, 'list' | 'runs' | 'run'>;
}
