import { changePasswordRequestSchema, createError, signedInSchema } from '@berth/contract';
import { jsonBody, jsonResponse } from '@berth/http';
import type { Api } from '../http/api.ts';
import { defineRoute } from '../http/define-route.ts';
import type { Passwords } from '../passwords/passwords.ts';
import { sessionPlace } from '../sessions/session-place.ts';
import { parseBearer, readSessionToken } from '../sessions/session-token.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { type SignInAnswerDeps, toSignedIn } from '../sessions/sign-in-answer.ts';

const route = defineRoute('POST /v1/auth/change-password', {
  scope: 'public',
  errors: ['unauthenticated'],
  operationId: 'changePassword',
  tags: ['Sign-in'],
  summary: 'Change the password; by default all sessions end and a new one starts',
  description: 'Needs the session token in `Authorization: Bearer`, or in the cookie of a page of the platform.',
  request: { body: jsonBody(changePasswordRequestSchema) },
  responses: { 200: jsonResponse(signedInSchema, 'The new session, or the current one') },
});

/** The dependencies of the route. */
export interface ChangePasswordDeps extends SignInAnswerDeps {
  readonly passwords: Pick<Passwords, 'change'>;
  readonly sessions: Pick<Sessions, 'refresh'>;
}

/** Registers `POST /v1/auth/change-password`. */
export function registerChangePassword(api: Api, { passwords, sessions, ...deps }: ChangePasswordDeps): void {
  api.openapi(route, async (c) => {
    const { current_password: currentPassword, new_password: newPassword, end_other_sessions } = c.req.valid('json');
    const { headers } = c.req.raw;
    const token = readSessionToken(headers, deps.sessionCookie);
    const change = { token, currentPassword, newPassword, endOtherSessions: end_other_sessions };
    const begun = await passwords.change(change, sessionPlace(c), c.get('requestId'));
    if (begun) return c.json(toSignedIn(c, begun, deps), 200);
    const session = token === undefined ? undefined : await sessions.refresh(token);
    if (!session) throw createError('unauthenticated', 'Password changed, but this session has ended. Sign in.');
    // A token that came in a cookie stays out of reach of scripts.
    const sent = parseBearer(headers.get('authorization') ?? '');
    const answer = { expires_at: new Date(session.expiresAtMs).toISOString(), user: session.user };
    return c.json(sent === undefined ? answer : { token: sent, ...answer }, 200);
  });
}
