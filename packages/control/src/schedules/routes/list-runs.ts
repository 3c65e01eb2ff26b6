import { defineOperation } from '@berth/accounts';
import { listScheduleRunsQuerySchema, scheduleRunsSchema } from '@berth/contract';
import { jsonResponse } from '@berth/http';
import type { ScheduleRouteDeps } from './schedule-route-deps.ts';

/** Registers `GET /v1/schedule/runs`. */
export const registerListScheduleRuns = defineOperation(
  'GET /v1/schedule/runs',
  {
    scope: 'read',
    errors: ['not_found'],
    operationId: 'listScheduleRuns',
    tags: ['Schedules'],
    summary: 'List the runs of a schedule with all attempts, newest first',
    request: { query: listScheduleRunsQuerySchema },
    responses: { 200: jsonResponse(scheduleRunsSchema, 'A page of runs') },
  },
  async (c, { schedules }: ScheduleRouteDeps) => {
    const { name, limit, page_token: pageToken } = c.req.valid('query');
    const { runs, nextPageToken } = await schedules.runs(c.get('principal').accountId, { name, limit, pageToken });
    return c.json({ runs, next_page_token: nextPageToken }, 200);
  },
);
