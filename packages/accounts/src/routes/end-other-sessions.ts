import { messageSchema } from '@berth/contract';
import { jsonResponse } from '@berth/http';
import type { Api } from '../http/api.ts';
import { defineRoute } from '../http/define-route.ts';
import { requirePerson } from '../principal/principal.ts';
import type { Sessions } from '../sessions/sessions.ts';

const route = defineRoute('POST /v1/user/sessions/end-others', {
  scope: 'session',
  operationId: 'endOtherSessions',
  tags: ['Account'],
  summary: 'Sign out all other sessions',
  responses: { 200: jsonResponse(messageSchema, 'The sessions are signed out') },
});

/** Registers `POST /v1/user/sessions/end-others`. */
export function registerEndOtherSessions(
  api: Api,
  { sessions }: { readonly sessions: Pick<Sessions, 'endOthers'> },
): void {
  api.openapi(route, async (c) => {
    const principal = c.get('principal');
    const count = await sessions.endOthers(requirePerson(principal), principal.sessionId);
    return c.json({ detail: count === 1 ? '1 session signed out.' : `${count} sessions signed out.` }, 200);
  });
}
