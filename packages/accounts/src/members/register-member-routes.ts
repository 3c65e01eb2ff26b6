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
  summary: 'The people of the account and their roles',
  responses: { 200: jsonResponse(z.array(memberSchema), 'Everybody, the first one first') },
});

const changeRoute = defineRoute('POST /v1/user/members', {
  scope: 'admin',
  errors: ['not_found', 'conflict'],
  operationId: 'changeMember',
  tags: ['Account'],
  summary: 'Give a member another role',
  request: { body: jsonBody(changeMemberRequestSchema) },
  responses: { 200: jsonResponse(memberSchema, 'The member as they are now') },
});

const removeRoute = defineRoute('DELETE /v1/user/members', {
  scope: 'admin',
  errors: ['not_found', 'conflict'],
  operationId: 'removeMember',
  tags: ['Account'],
  summary: 'Remove a member; the keys that they made end',
  request: { query: z.object({ user_id: z.string().min(1) }) },
  responses: { 200: jsonResponse(messageSchema, 'They can do nothing in the account any more') },
});

const leaveRoute = defineRoute('POST /v1/user/leave', {
  scope: 'session',
  errors: ['not_found', 'conflict'],
  operationId: 'leaveAccount',
  tags: ['Account'],
  summary: 'Leave the account; the keys that you made in it end',
  responses: { 200: jsonResponse(messageSchema, 'You are no member any more') },
});

const accountsRoute = defineRoute('GET /v1/user/accounts', {
  scope: 'session',
  operationId: 'listOwnAccounts',
  tags: ['Account'],
  summary: 'The accounts that you belong to',
  description: 'The header `X-Account` picks one of them, by id or name, for any request of a session.',
  responses: { 200: jsonResponse(z.array(ownAccountSchema), 'The one joined first is first') },
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
