import { changePasswordRequestSchema, createError, signedInSchema } from '@berth/contract';
import type { Database } from '@berth/database';
import { jsonBody, jsonResponse } from '@berth/http';
import type { Clock } from '@berth/kit';
import type { Kysely } from 'kysely';
import type { Api, ApiContext } from '../../http/api.ts';
import { defineRoute } from '../../http/define-route.ts';
import type { AuditLog } from '../audit-log.ts';
import { callAuth } from '../call-auth.ts';
import type { Auth } from '../create-auth.ts';
import { auditPerson } from '../person-audit.ts';
import { type AuthSignedIn, toSignedIn } from '../sign-in-answer.ts';
import type { AuthSession } from './get-session.ts';

const route = defineRoute(
  { scope: 'public', errors: ['unauthenticated'] },
  {
    method: 'post',
    path: '/v1/auth/change-password',
    operationId: 'changePassword',
    tags: ['Sign-in'],
    summary: 'Change the password; every session ends, unless asked otherwise, and a new one begins',
    description: 'Needs the session token in `Authorization: Bearer`, or in the cookie of a page of the platform.',
    request: { body: jsonBody(changePasswordRequestSchema) },
    responses: { 200: jsonResponse(signedInSchema, 'The new session, or the one that asked') },
  },
);

/** What the route needs. */
export interface ChangePasswordDeps {
  readonly auth: Auth;
  readonly audit: Pick<AuditLog, 'record'>;
  readonly clock: Clock;
  readonly db: Kysely<Database>;
}

export function registerChangePassword(api: Api, { auth, audit, clock, db }: ChangePasswordDeps): void {
  api.openapi(route, async (c) => {
    const { current_password, new_password, end_other_sessions: endOthers } = c.req.valid('json');
    const body = { currentPassword: current_password, newPassword: new_password, revokeOtherSessions: endOthers };
    const path = '/change-password';
    // It answers a token where it began a session.
    type Changed = Omit<AuthSignedIn, 'token'> & { readonly token: string | null };
    const { token, user } = await callAuth<Changed>(auth, c, { method: 'POST', path, body });
    const actor = { kind: 'session', id: user.id } as const;
    const details = { end_other_sessions: endOthers };
    const record = { actor, requestId: c.get('requestId'), action: 'password.change', target: user.id, details };
    await auditPerson(audit, user.id, record, db);
    if (token !== null) return c.json(toSignedIn(c, { token, user }, { auth, clock }), 200);
    const session = await callAuth<AuthSession | null>(auth, c, { method: 'GET', path: '/get-session' });
    if (!session) throw createError('unauthenticated', 'The password is changed, but this session has ended: sign in.');
    const { id, name, email } = user;
    const answer = { expires_at: new Date(session.session.expiresAt).toISOString(), user: { id, name, email } };
    return c.json({ ...sentToken(c), ...answer }, 200);
  });
}

/** The caller's own, where it isn't a cookie. */
function sentToken(c: ApiContext): { token?: string } {
  const token = /^bearer +(\S+)$/i.exec(c.req.header('authorization') ?? '')?.[1];
  return token === undefined ? {} : { token };
}
