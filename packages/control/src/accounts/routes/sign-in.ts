import { signedInSchema, signInRequestSchema } from '@berth/contract';
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
    path: '/v1/auth/sign-in/email',
    operationId: 'signIn',
    tags: ['Sign-in'],
    summary: 'Sign in with an e-mail address and a password',
    request: { body: jsonBody(signInRequestSchema) },
    responses: { 200: jsonResponse(signedInSchema, 'A session') },
  },
);

export function registerSignIn(api: Api, { auth, clock }: { readonly auth: Auth; readonly clock: Clock }): void {
  api.openapi(route, async (c) => {
    const body = c.req.valid('json');
    const answer = await callAuth<AuthSignedIn>(auth, c, { method: 'POST', path: '/sign-in/email', body });
    return c.json(toSignedIn(c, answer, { auth, clock }), 200);
  });
}
