import { profileRequestSchema, profileSchema } from '@berth/contract';
import { jsonBody, jsonResponse } from '@berth/http';
import { auditPerson, auditSource, type ServiceDeps } from '../audit/audit-log.ts';
import type { Api } from '../http/api.ts';
import { defineRoute } from '../http/define-route.ts';
import { requirePerson } from '../principal/principal.ts';

const route = defineRoute('POST /v1/user/profile', {
  scope: 'session',
  operationId: 'changeProfile',
  tags: ['Account'],
  summary: 'Change your display name',
  request: { body: jsonBody(profileRequestSchema) },
  responses: { 200: jsonResponse(profileSchema, 'The updated person') },
});

/** Registers `POST /v1/user/profile`. */
export function registerChangeProfile(api: Api, { db, clock, audit }: Omit<ServiceDeps, 'ids'>): void {
  api.openapi(route, async (c) => {
    const userId = requirePerson(c.get('principal'));
    const { name } = c.req.valid('json');
    const profile = await db.transaction().execute(async (transaction) => {
      const row = await transaction
        .updateTable('auth_users')
        .set({ name, updated_at: clock.nowMs() })
        .where('id', '=', userId)
        .returning(['id', 'name', 'email'])
        .executeTakeFirstOrThrow();
      const record = { ...auditSource(c), action: 'person.rename' as const, target: userId, details: { name } };
      await auditPerson(audit, userId, record, transaction);
      return row;
    });
    return c.json(profile, 200);
  });
}
