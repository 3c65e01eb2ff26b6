import { createError, currentSessionSchema, type Session, sessionSchema } from '@berth/contract';
import { clientAddress, jsonResponse } from '@berth/http';
import type { Clock } from '@berth/kit';
import type { Api, ApiContext } from '../http/api.ts';
import { defineRoute } from '../http/define-route.ts';
import { createRateLimiter } from '../limits/rate-limiter.ts';
import type { BrowserCookie } from '../sessions/browser-cookie.ts';
import { networkOf } from '../sessions/session-place.ts';
import { readSessionToken } from '../sessions/session-token.ts';
import { SESSION_SECONDS, type Sessions } from '../sessions/sessions.ts';

const route = defineRoute('GET /v1/auth/get-session', {
  scope: 'public',
  errors: ['unauthenticated'],
  operationId: 'getSession',
  tags: ['Sign-in'],
  summary: 'Get the session; extends it by 24 hours if older than one hour',
  description: 'Needs the session token in `Authorization: Bearer`, or in the cookie of a page of the platform.',
  responses: { 200: jsonResponse(sessionSchema, 'The session') },
});

/** The dependencies of the routes that read and end the caller's own session. */
export interface SessionRouteDeps {
  readonly sessions: Pick<Sessions, 'refresh' | 'signOut'>;
  readonly sessionCookie: BrowserCookie;
  readonly clock: Clock;
}

/** Calls of such a route, per network. Neither asks for a credential first. */
const LIMIT = { windowSeconds: 10, max: 100 } as const;

/** Returns a function that counts a call of one route. It throws `too_many_requests` above the limit. */
export function limitSessionCalls(clock: Clock): (c: ApiContext) => void {
  const limiter = createRateLimiter(clock);
  return (c) => limiter.take(networkOf(clientAddress(c) ?? ''), LIMIT);
}

const currentRoute = defineRoute('GET /v1/auth/session', {
  scope: 'public',
  operationId: 'getCurrentSession',
  tags: ['Sign-in'],
  summary: 'The session, or null without one',
  description: 'As `GET /v1/auth/get-session`, for pages: a browser logs each response with status 401 as an error.',
  responses: { 200: jsonResponse(currentSessionSchema, 'The session; null without one') },
});

/** Registers `GET /v1/auth/get-session` and `GET /v1/auth/session`. */
export function registerGetSession(api: Api, { sessions, sessionCookie, clock }: SessionRouteDeps): void {
  const limit = limitSessionCalls(clock);
  const find = async (c: ApiContext): Promise<Session | undefined> => {
    limit(c);
    const { headers } = c.req.raw;
    const token = readSessionToken(headers, sessionCookie);
    const session = token === undefined ? undefined : await sessions.refresh(token);
    if (!session) return undefined;
    const cookie = sessionCookie.read(headers);
    // The browser would delete the cookie a day after the sign-in.
    if (cookie !== undefined) sessionCookie.set(c, cookie, SESSION_SECONDS);
    return { expires_at: new Date(session.expiresAtMs).toISOString(), user: session.user };
  };
  api.openapi(route, async (c) => {
    const session = await find(c);
    if (!session) throw createError('unauthenticated', 'There is no session for this token. Sign in.');
    return c.json(session, 200);
  });
  api.openapi(currentRoute, async (c) => c.json({ session: (await find(c)) ?? null }, 200));
}
