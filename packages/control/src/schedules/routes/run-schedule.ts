import { auditSource, defineOperation } from '@berth/accounts';
import { runScheduleRequestSchema, scheduleRunSchema } from '@berth/contract';
import { jsonBody, jsonResponse } from '@berth/http';
import type { ScheduleRouteDeps } from './schedule-route-deps.ts';

/** Registers `POST /v1/schedule/run`. */
export const registerRunSchedule = defineOperation(
  'POST /v1/schedule/run',
  {
    scope: 'deploy',
    errors: ['not_found', 'conflict'],
    operationId: 'runSchedule',
    tags: ['Schedules'],
    summary: 'Run a schedule now, in addition to its scheduled times',
    request: { body: jsonBody(runScheduleRequestSchema) },
    responses: { 200: jsonResponse(scheduleRunSchema, 'The run; its first attempt starts immediately') },
  },
  async (c, { schedules }: ScheduleRouteDeps) => {
    const run = await schedules.run(c.get('principal').accountId, c.req.valid('json').name, auditSource(c));
    return c.json(run, 200);
  },
);
