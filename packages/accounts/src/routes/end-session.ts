import { messageSchema } from '@berth/contract';
import { jsonResponse } from '@berth/http';
import { z } from '@hono/zod-openapi';
import type { Api } from '../http/api.ts';
import { defineRoute } from '../http/define-route.ts';
import { requirePerson } from '../principal/principal.ts';
import type { Sessions } from '../sessions/sessions.ts';

const route = defineRoute('DELETE /v1/user/sessions', {
  scope: 'session',
  errors: ['not_found'],
  operationId: 'endSession',
  tags: ['Account'],
  summary: 'Sign out one of your sessions',
  request: { query: z.object({ id: z.string().min(1).openapi({ description: 'Id of the session' }) }) },
  responses: { 200: jsonResponse(messageSchema, 'It is ended') },
});

/** Registers `DELETE /v1/user/sessions`. */
export function registerEndSession(api: Api, { sessions }: { readonly sessions: Pick<Sessions, 'end'> }): void {
  api.openapi(route, async (c) => {
    const { id } = c.req.valid('query');
    await sessions.end(requirePerson(c.get('principal')), id);
    return c.json({ detail: `The session ${id} is signed out.` }, 200);
  });
}
