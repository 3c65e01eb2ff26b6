import { signedInSchema, signInRequestSchema } from '@berth/contract';
import { jsonBody, jsonResponse } from '@berth/http';
import type { Api } from '../http/api.ts';
import { defineRoute } from '../http/define-route.ts';
import type { Passwords } from '../passwords/passwords.ts';
import { sessionPlace } from '../sessions/session-place.ts';
import { type SignInAnswerDeps, toSignedIn } from '../sessions/sign-in-answer.ts';

const route = defineRoute('POST /v1/auth/sign-in/email', {
  scope: 'public',
  errors: ['unauthenticated'],
  operationId: 'signIn',
  tags: ['Sign-in'],
  summary: 'Sign in with an e-mail address and a password',
  request: { body: jsonBody(signInRequestSchema) },
  responses: { 200: jsonResponse(signedInSchema, 'A session') },
});

/** Registers `POST /v1/auth/sign-in/email`. */
export function registerSignIn(api: Api, deps: SignInAnswerDeps & { readonly passwords: Passwords }): void {
  api.openapi(route, async (c) => {
    const session = await deps.passwords.signIn(c.req.valid('json'), sessionPlace(c));
    return c.json(toSignedIn(c, session, deps), 200);
  });
}
