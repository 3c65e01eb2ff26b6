import {
  createPasskeyRequestSchema,
  messageSchema,
  passkeyOptionsRequestSchema,
  passkeyOptionsSchema,
  passkeySchema,
  renamePasskeyRequestSchema,
} from '@berth/contract';
import { jsonBody, jsonResponse } from '@berth/http';
import { z } from '@hono/zod-openapi';
import { auditSource } from '../audit/audit-log.ts';
import type { Api, ApiContext } from '../http/api.ts';
import { defineRoute } from '../http/define-route.ts';
import { requirePerson } from '../principal/principal.ts';
import type { PasskeyOwner, Passkeys } from './passkeys.ts';

const listRoute = defineRoute('GET /v1/user/passkeys', {
  scope: 'session',
  operationId: 'listPasskeys',
  tags: ['Account'],
  summary: 'List your passkeys',
  responses: { 200: jsonResponse(z.array(passkeySchema), 'The passkeys, newest first') },
});

const optionsRoute = defineRoute('POST /v1/user/passkeys/options', {
  scope: 'session',
  errors: ['conflict', 'not_available'],
  operationId: 'createPasskeyOptions',
  tags: ['Account'],
  summary: 'Start adding a passkey: options for the browser',
  description: 'The options work once, within five minutes, in this session.',
  request: { body: jsonBody(passkeyOptionsRequestSchema) },
  responses: { 200: jsonResponse(passkeyOptionsSchema, 'For `navigator.credentials.create`, in its JSON form') },
});

const createRoute = defineRoute('POST /v1/user/passkeys', {
  scope: 'session',
  errors: ['conflict', 'not_available'],
  operationId: 'createPasskey',
  tags: ['Account'],
  summary: 'Add the passkey that the browser created',
  request: { body: jsonBody(createPasskeyRequestSchema) },
  responses: { 200: jsonResponse(passkeySchema, 'You can sign in with it') },
});

const renameRoute = defineRoute('POST /v1/user/passkeys/rename', {
  scope: 'session',
  errors: ['not_found'],
  operationId: 'renamePasskey',
  tags: ['Account'],
  summary: 'Rename a passkey',
  request: { body: jsonBody(renamePasskeyRequestSchema) },
  responses: { 200: jsonResponse(passkeySchema, 'The updated passkey') },
});

const deleteRoute = defineRoute('DELETE /v1/user/passkeys', {
  scope: 'session',
  errors: ['not_found', 'conflict'],
  operationId: 'deletePasskey',
  tags: ['Account'],
  summary: "Remove a passkey; the last sign-in method can't be removed",
  request: { query: z.object({ id: z.string().min(1).openapi({ description: 'Id of the passkey' }) }) },
  responses: { 200: jsonResponse(messageSchema, 'The passkey can no longer be used to sign in') },
});

export function registerPasskeyRoutes(api: Api, { passkeys }: { readonly passkeys: Passkeys }): void {
  api.openapi(listRoute, async (c) => {
    return c.json([...(await passkeys.list(requirePerson(c.get('principal'))))], 200);
  });
  api.openapi(optionsRoute, async (c) => {
    return c.json(await passkeys.begin(ownerOf(c), c.req.valid('json').password), 200);
  });
  api.openapi(createRoute, async (c) => {
    const userAgent = c.req.header('user-agent') ?? '';
    return c.json(await passkeys.add(ownerOf(c), c.req.valid('json'), userAgent, auditSource(c)), 200);
  });
  api.openapi(renameRoute, async (c) => {
    const { id, name } = c.req.valid('json');
    return c.json(await passkeys.rename(requirePerson(c.get('principal')), id, name, auditSource(c)), 200);
  });
  api.openapi(deleteRoute, async (c) => {
    const { id } = c.req.valid('query');
    await passkeys.remove(requirePerson(c.get('principal')), id, auditSource(c));
    return c.json({ detail: `The passkey ${id} is removed.` }, 200);
  });
}

function ownerOf(c: ApiContext): PasskeyOwner {
  const principal = c.get('principal');
  return { userId: requirePerson(principal), sessionId: principal.sessionId ?? '' };
}
