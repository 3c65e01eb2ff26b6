import { changeMemberRequestSchema, memberSchema, messageSchema, ownAccountSchema } from '@berth/contract';
import { jsonBody, jsonResponse } from '@berth/http';
import { z } from '@hono/zod-openapi';
import { auditSource } from '../audit/audit-log.ts';
import type { Api } from '../http/api.ts';
import { defineRoute } from '../http/define-route.ts';
import { requirePerson } from '../principal/principal.ts';
import type { Members } from './members.ts';

const listRoute = defineRoute('GET /v1/user/members', {
  scope: 'read',
  operationId: 'listMembers',
  tags: ['Account'],
  summary: 'List the members of the account',
  responses: { 200: jsonResponse(z.array(memberSchema), 'All members, oldest first') },
});

const changeRoute = defineRoute('POST /v1/user/members', {
  scope: 'admin',
  errors: ['not_found', 'conflict'],
  operationId: 'changeMember',
  tags: ['Account'],
  summary: "Change a member's role",
  request: { body: jsonBody(changeMemberRequestSchema) },
  responses: { 200: jsonResponse(memberSchema, 'The updated member') },
});

const removeRoute = defineRoute('DELETE /v1/user/members', {
  scope: 'admin',
  errors: ['not_found', 'conflict'],
  operationId: 'removeMember',
  tags: ['Account'],
  summary: 'Remove a member; the keys that they created are revoked',
  request: { query: z.object({ user_id: z.string().min(1) }) },
  responses: { 200: jsonResponse(messageSchema, 'The member no longer has access') },
});

const leaveRoute = defineRoute('POST /v1/user/leave', {
  scope: 'session',
  errors: ['not_found', 'conflict'],
  operationId: 'leaveAccount',
  tags: ['Account'],
  summary: 'Leave the account; the keys that you created are revoked',
  responses: { 200: jsonResponse(messageSchema, 'You are no longer a member') },
});

const accountsRoute = defineRoute('GET /v1/user/accounts', {
  scope: 'session',
  operationId: 'listOwnAccounts',
  tags: ['Account'],
  summary: 'List your accounts',
  description: 'The header `X-Account` selects one of them, by ID or name, for requests with a session.',
  responses: { 200: jsonResponse(z.array(ownAccountSchema), 'Oldest membership first') },
});

export function registerMemberRoutes(api: Api, { members }: { readonly members: Members }): void {
  api.openapi(listRoute, async (c) => c.json([...(await members.list(c.get('principal')))], 200));
  api.openapi(changeRoute, async (c) => {
    const { user_id: userId, role } = c.req.valid('json');
    return c.json(await members.change(c.get('principal'), { userId, role }, auditSource(c)), 200);
  });
  api.openapi(removeRoute, async (c) => {
    const { user_id: userId } = c.req.valid('query');
    await members.remove(c.get('principal'), userId, auditSource(c));
    return c.json({ detail: `The member ${userId} is removed.` }, 200);
  });
  api.openapi(leaveRoute, async (c) => {
    const principal = c.get('principal');
    await members.remove(principal, requirePerson(principal), auditSource(c));
    return c.json({ detail: 'You left the account.' }, 200);
  });
  api.openapi(accountsRoute, async (c) => {
    const principal = c.get('principal');
    return c.json([...(await members.accountsOf(requirePerson(principal), principal.accountId))], 200);
  });
}
