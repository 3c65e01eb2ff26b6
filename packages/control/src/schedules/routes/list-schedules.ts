import type { Api } from '@berth/accounts';
import { defineRoute } from '@berth/accounts';
import { scheduleRowSchema } from '@berth/contract';
import { jsonResponse } from '@berth/http';
import { z } from '@hono/zod-openapi';
import type { ScheduleRouteDeps } from './schedule-route-deps.ts';

const route = defineRoute('GET /v1/schedule/list', {
  scope: 'read',
  operationId: 'listSchedules',
  tags: ['Schedules'],
  summary: 'The schedules of the account, by name: when each is due next and how its last run went',
  responses: { 200: jsonResponse(z.array(scheduleRowSchema), 'The schedules') },
});

/** Registers `GET /v1/schedule/list`. */
export function registerListSchedules(api: Api, { schedules }: ScheduleRouteDeps): void {
  api.openapi(route, async (c) => c.json(await schedules.list(c.get('principal').accountId), 200));
}
