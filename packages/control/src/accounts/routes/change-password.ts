import { changePasswordRequestSchema, signedInSchema } from '@berth/contract';
import { jsonBody, jsonResponse } from '@berth/http';
import type { Clock } from '@berth/kit';
import type { Api } from '../../http/api.ts';
import { defineRoute } from '../../http/define-route.ts';
import { callAuth } from '../call-auth.ts';
import type { Auth } from '../create-auth.ts';
import { type AuthSignedIn, toSignedIn } from '../sign-in-answer.ts';

const route = defineRoute(
  { scope: 'public', errors: ['unauthenticated'] },
  {
    method: 'post',
    path: '/v1/auth/change-password',
    operationId: 'changePassword',
    tags: ['Sign-in'],
    summary: 'Change the password; every session ends, and a new one begins',
    description: 'Needs the session token in `Authorization: Bearer`.',
    request: { body: jsonBody(changePasswordRequestSchema) },
    responses: { 200: jsonResponse(signedInSchema, 'The new session') },
  },
);

export function registerChangePassword(
  api: Api,
  { auth, clock }: { readonly auth: Auth; readonly clock: Clock },
): void {
  api.openapi(route, async (c) => {
    const { current_password: currentPassword, new_password: newPassword } = c.req.valid('json');
    const body = { currentPassword, newPassword, revokeOtherSessions: true };
    const answer = await callAuth<AuthSignedIn>(auth, c, { method: 'POST', path: '/change-password', body });
    return c.json(toSignedIn(c, answer, { auth, clock }), 200);
  });
}
