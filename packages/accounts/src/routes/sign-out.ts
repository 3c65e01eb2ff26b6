import { messageSchema } from '@berth/contract';
import { jsonResponse } from '@berth/http';
import type { Api } from '../http/api.ts';
import { defineRoute } from '../http/define-route.ts';
import { readSessionToken } from '../sessions/session-token.ts';
import { limitSessionCalls, type SessionRouteDeps } from './get-session.ts';

const route = defineRoute('POST /v1/auth/sign-out', {
  scope: 'public',
  operationId: 'signOut',
  tags: ['Sign-in'],
  summary: 'End the session of the token in `Authorization: Bearer`, or of the cookie of a page of the platform',
  responses: { 200: jsonResponse(messageSchema, 'The session has ended') },
});

/** Registers `POST /v1/auth/sign-out`. */
export function registerSignOut(api: Api, { sessions, sessionCookie, clock }: SessionRouteDeps): void {
  const limit = limitSessionCalls(clock);
  api.openapi(route, async (c) => {
    // First, so that the cookie goes even when the session has ended already.
    if (sessionCookie.isWanted(c.req.raw.headers)) sessionCookie.clear(c);
    limit(c);
    const token = readSessionToken(c.req.raw.headers, sessionCookie);
    if (token !== undefined) await sessions.signOut(token);
    return c.json({ detail: 'Signed out.' }, 200);
  });
}
