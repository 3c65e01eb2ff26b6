import { createError, signedInSchema, signUpRequestSchema } from '@berth/contract';
import { jsonBody, jsonResponse } from '@berth/http';
import type { Clock } from '@berth/kit';
import type { Api } from '../../http/api.ts';
import { defineRoute } from '../../http/define-route.ts';
import { callAuth } from '../call-auth.ts';
import type { Auth } from '../create-auth.ts';
import { type AuthSignedIn, toSignedIn } from '../sign-in-answer.ts';

const route = defineRoute(
  { scope: 'public', errors: ['forbidden', 'unauthenticated'] },
  {
    method: 'post',
    path: '/v1/auth/sign-up/email',
    operationId: 'signUp',
    tags: ['Sign-in'],
    summary: 'Make a person with an account of their own, where the operator allows it',
    description: 'A taken address is answered as a wrong password is at sign-in.',
    request: { body: jsonBody(signUpRequestSchema) },
    responses: { 200: jsonResponse(signedInSchema, 'A session') },
  },
);

/** What sign-up needs. */
export interface SignUpDeps {
  readonly auth: Auth;
  readonly clock: Clock;
  /** Whether strangers may make accounts. */
  readonly isSignUpAllowed: boolean;
}

export function registerSignUp(api: Api, { auth, clock, isSignUpAllowed }: SignUpDeps): void {
  api.openapi(route, async (c) => {
    const body = c.req.valid('json');
    if (!isSignUpAllowed) {
      throw createError('forbidden', 'Sign-up is closed on this platform; ask its operator for an account.');
    }
    await callAuth(auth, c, { method: 'POST', path: '/sign-up/email', body });
    // Somebody who has the address already, and this password, is signed in; with another password it is 401.
    const { email, password } = body;
    const signIn = { method: 'POST', path: '/sign-in/email', body: { email, password } } as const;
    const answer = await callAuth<AuthSignedIn>(auth, c, signIn);
    return c.json(toSignedIn(c, answer, { auth, clock }), 200);
  });
}
