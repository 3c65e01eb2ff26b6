import { defineOperation } from '@berth/accounts';
import { scheduleRowSchema } from '@berth/contract';
import { jsonResponse } from '@berth/http';
import { z } from '@hono/zod-openapi';
import type { ScheduleRouteDeps } from './schedule-route-deps.ts';

/** Registers `GET /v1/schedule/list`. */
export const registerListSchedules = defineOperation(
  'GET /v1/schedule/list',
  {
    scope: 'read',
    operationId: 'listSchedules',
    tags: ['Schedules'],
    summary: 'List schedules by name, with next run and last result',
    responses: { 200: jsonResponse(z.array(scheduleRowSchema), 'The schedules') },
  },
  async (c, { schedules }: ScheduleRouteDeps) => c.json(await schedules.list(c.get('principal').accountId), 200),
);
