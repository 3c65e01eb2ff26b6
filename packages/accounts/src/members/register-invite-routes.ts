import {
  createdInviteSchema,
  createInviteRequestSchema,
  inviteSchema,
  inviteTokenRequestSchema,
  joinRequestSchema,
  messageSchema,
  ownAccountSchema,
  shownInviteSchema,
  signedInSchema,
} from '@berth/contract';
import { jsonBody, jsonResponse } from '@berth/http';
import { z } from '@hono/zod-openapi';
import { auditSource } from '../audit/audit-log.ts';
import type { Api } from '../http/api.ts';
import { defineRoute } from '../http/define-route.ts';
import { requirePerson } from '../principal/principal.ts';
import { sessionPlace } from '../sessions/session-place.ts';
import { type SignInAnswerDeps, toSignedIn } from '../sessions/sign-in-answer.ts';
import type { Invites } from './invites.ts';

const listRoute = defineRoute('GET /v1/user/invites', {
  scope: 'admin',
  operationId: 'listInvites',
  tags: ['Account'],
  summary: 'List unused invitations',
  responses: { 200: jsonResponse(z.array(inviteSchema), 'Newest first, without links') },
});

const createRoute = defineRoute('POST /v1/user/invites', {
  scope: 'admin',
  operationId: 'createInvite',
  tags: ['Account'],
  summary: 'Create an invitation; its link is shown once, and mailed to `email` if the platform sends mail',
  request: { body: jsonBody(createInviteRequestSchema) },
  responses: {
    200: jsonResponse(createdInviteSchema, 'The invitation and its link, which works once, within seven days'),
  },
});

const removeRoute = defineRoute('DELETE /v1/user/invites', {
  scope: 'admin',
  errors: ['not_found'],
  operationId: 'deleteInvite',
  tags: ['Account'],
  summary: 'Revoke an invitation',
  request: { query: z.object({ id: z.string().min(1) }) },
  responses: { 200: jsonResponse(messageSchema, 'The invitation is revoked') },
});

const showRoute = defineRoute('POST /v1/auth/invites/show', {
  scope: 'public',
  errors: ['not_found'],
  operationId: 'showInvite',
  tags: ['Sign-in'],
  summary: 'Get an invitation by its link',
  request: { body: jsonBody(inviteTokenRequestSchema) },
  responses: { 200: jsonResponse(shownInviteSchema, 'The account and the role') },
});

const joinRoute = defineRoute('POST /v1/auth/invites/accept', {
  scope: 'public',
  errors: ['not_found', 'forbidden'],
  operationId: 'join',
  tags: ['Sign-in'],
  summary: 'Sign up with an invitation',
  request: { body: jsonBody(joinRequestSchema) },
  responses: { 200: jsonResponse(signedInSchema, "A session; the link can't be used again") },
});

const acceptRoute = defineRoute('POST /v1/user/invites/accept', {
  scope: 'session',
  errors: ['not_found', 'conflict'],
  operationId: 'acceptInvite',
  tags: ['Account'],
  summary: 'Join an account with an invitation, as the signed-in person',
  request: { body: jsonBody(inviteTokenRequestSchema) },
  responses: { 200: jsonResponse(ownAccountSchema, "The account; the link can't be used again") },
});

export function registerInviteRoutes(api: Api, deps: SignInAnswerDeps & { readonly invites: Invites }): void {
  const { invites } = deps;
  api.openapi(listRoute, async (c) => c.json([...(await invites.list(c.get('principal')))], 200));
  api.openapi(createRoute, async (c) => {
    const { language } = sessionPlace(c);
    const invite = { ...c.req.valid('json'), language };
    return c.json(await invites.create(c.get('principal'), invite, auditSource(c)), 200);
  });
  api.openapi(removeRoute, async (c) => {
    const { id } = c.req.valid('query');
    await invites.remove(c.get('principal'), id, auditSource(c));
    return c.json({ detail: `The invitation ${id} is revoked.` }, 200);
  });
  api.openapi(showRoute, async (c) => c.json(await invites.show(c.req.valid('json').token), 200));
  api.openapi(joinRoute, async (c) => {
    const place = sessionPlace(c);
    const signedIn = await invites.join(c.req.valid('json'), place, c.get('requestId'));
    return c.json(toSignedIn(c, signedIn, deps), 200);
  });
  api.openapi(acceptRoute, async (c) => {
    const userId = requirePerson(c.get('principal'));
    return c.json(await invites.accept(c.req.valid('json').token, userId, auditSource(c)), 200);
  });
}
