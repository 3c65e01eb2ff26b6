import type { ScheduleRow, ScheduleRun, ScheduleRuns } from '@berth/contract';
import type { CallOptions, Transport } from './transport.ts';

export interface ScheduleRunsQuery {
  /** At most so many, newest first; the server's own measure when absent. */
  readonly limit?: number | undefined;
  /** `next_page_token` of the page before. */
  readonly pageToken?: string | undefined;
}

/** Schedules and what became of their fires. */
export interface ScheduleCalls {
  /** By name of the deployment. */
  listSchedules(options?: CallOptions): Promise<ScheduleRow[]>;
  /** A page of a deployment's runs, newest first. @throws `not_found`, `forbidden` */
  listScheduleRuns(name: string, query?: ScheduleRunsQuery, options?: CallOptions): Promise<ScheduleRuns>;
  /** Makes a run now. @throws `not_found`, `forbidden`, `conflict` without a schedule */
  runSchedule(name: string, options?: CallOptions): Promise<ScheduleRun>;
}

export function createScheduleCalls(transport: Transport): ScheduleCalls {
  return {
    listSchedules: ({ signal } = {}) => transport.json({ method: 'GET', path: '/v1/schedule/list', signal }),
    listScheduleRuns(name, { limit, pageToken } = {}, { signal } = {}) {
      const query = new URLSearchParams({ name });
      if (limit !== undefined) query.set('limit', String(limit));
      if (pageToken !== undefined) query.set('page_token', pageToken);
      return transport.json({ method: 'GET', path: `/v1/schedule/runs?${query}`, signal });
    },
    runSchedule: (name, { signal } = {}) =>
      transport.json({ method: 'POST', path: '/v1/schedule/run', body: { name }, signal }),
  };
}
