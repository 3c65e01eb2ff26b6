import { auditPageSchema, auditQuerySchema } from '@berth/contract';
import { jsonResponse } from '@berth/http';
import type { AuditLog } from '../audit/audit-log.ts';
import type { Api } from '../http/api.ts';
import { defineRoute } from '../http/define-route.ts';

const route = defineRoute('GET /v1/user/audit', {
  scope: 'admin',
  operationId: 'listAudit',
  tags: ['Account'],
  summary: "List the account's audit log, newest first",
  request: { query: auditQuerySchema },
  responses: { 200: jsonResponse(auditPageSchema, 'A page of the audit log') },
});

/** Registers `GET /v1/user/audit`. */
export function registerListAudit(api: Api, { audit }: { readonly audit: Pick<AuditLog, 'list'> }): void {
  api.openapi(route, async (c) => {
    const { limit, page_token, since, until, ...only } = c.req.valid('query');
    const fromMs = since === undefined ? undefined : Date.parse(since);
    const untilMs = until === undefined ? undefined : Date.parse(until);
    const { accountId } = c.get('principal');
    const page = await audit.list({ accountId, limit, before: page_token, only: { ...only, fromMs, untilMs } });
    return c.json(page, 200);
  });
}
