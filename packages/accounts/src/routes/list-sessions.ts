import { sessionRowSchema } from '@berth/contract';
import { jsonResponse } from '@berth/http';
import { z } from '@hono/zod-openapi';
import type { Api } from '../http/api.ts';
import { defineRoute } from '../http/define-route.ts';
import { requirePerson } from '../principal/principal.ts';
import type { Sessions } from '../sessions/sessions.ts';

const route = defineRoute('GET /v1/user/sessions', {
  scope: 'session',
  operationId: 'listSessions',
  tags: ['Account'],
  summary: "List the person's sessions",
  responses: { 200: jsonResponse(z.array(sessionRowSchema), 'The sessions, most recently used first') },
});

/** Registers `GET /v1/user/sessions`. */
export function registerListSessions(api: Api, { sessions }: { readonly sessions: Pick<Sessions, 'list'> }): void {
  api.openapi(route, async (c) => {
    const principal = c.get('principal');
    return c.json([...(await sessions.list(requirePerson(principal), principal.sessionId))], 200);
  });
}
