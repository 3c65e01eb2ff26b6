import { createError, sessionSchema } from '@berth/contract';
import { jsonResponse } from '@berth/http';
import type { Api } from '../../http/api.ts';
import { defineRoute } from '../../http/define-route.ts';
import { callAuth } from '../call-auth.ts';
import { type Auth, SESSION_SECONDS } from '../create-auth.ts';
import type { AuthPerson } from '../sign-in-answer.ts';

const route = defineRoute(
  { scope: 'public', errors: ['unauthenticated'] },
  {
    method: 'get',
    path: '/v1/auth/get-session',
    operationId: 'getSession',
    tags: ['Sign-in'],
    summary: 'The session, which lives 24 hours more when it is older than one',
    description: 'Needs the session token in `Authorization: Bearer`, or in the cookie of a page of the platform.',
    responses: { 200: jsonResponse(sessionSchema, 'The session') },
  },
);

/** What better-auth says of a session; null when there is none. */
export interface AuthSession {
  readonly session: { readonly expiresAt: string };
  readonly user: AuthPerson;
}

export function registerGetSession(api: Api, { auth }: { readonly auth: Auth }): void {
  api.openapi(route, async (c) => {
    const found = await callAuth<AuthSession | null>(auth, c, { method: 'GET', path: '/get-session' });
    if (!found) throw createError('unauthenticated', 'There is no session of this token: sign in.');
    const { id, name, email } = found.user;
    const cookie = auth.cookie.read(c.req.raw.headers);
    // The browser would forget it a day after the sign-in.
    if (cookie !== undefined) auth.cookie.set(c, cookie, SESSION_SECONDS);
    return c.json({ expires_at: new Date(found.session.expiresAt).toISOString(), user: { id, name, email } }, 200);
  });
}
