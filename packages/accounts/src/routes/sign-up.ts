import { createError, signedInSchema, signUpRequestSchema } from '@berth/contract';
import { jsonBody, jsonResponse } from '@berth/http';
import type { Api } from '../http/api.ts';
import { defineRoute } from '../http/define-route.ts';
import type { Passwords } from '../passwords/passwords.ts';
import { sessionPlace } from '../sessions/session-place.ts';
import { type SignInAnswerDeps, toSignedIn } from '../sessions/sign-in-answer.ts';

const route = defineRoute('POST /v1/auth/sign-up/email', {
  scope: 'public',
  errors: ['forbidden', 'unauthenticated'],
  operationId: 'signUp',
  tags: ['Sign-in'],
  summary: 'Sign up for a new account, if the operator allows it',
  description: 'An existing e-mail address gets the same response as a wrong password at sign-in.',
  request: { body: jsonBody(signUpRequestSchema) },
  responses: { 200: jsonResponse(signedInSchema, 'A session') },
});

/** The dependencies of the route. */
export interface SignUpDeps extends SignInAnswerDeps {
  readonly passwords: Pick<Passwords, 'signUp'>;
  /** Whether strangers may create accounts. */
  readonly isSignUpAllowed: boolean;
}

/** Registers `POST /v1/auth/sign-up/email`. */
export function registerSignUp(api: Api, { passwords, isSignUpAllowed, ...deps }: SignUpDeps): void {
  api.openapi(route, async (c) => {
    const person = c.req.valid('json');
    if (!isSignUpAllowed) {
      throw createError('forbidden', 'Sign-up is disabled on this platform. Ask your administrator for an invitation.');
    }
    return c.json(toSignedIn(c, await passwords.signUp(person, sessionPlace(c)), deps), 200);
  });
}
