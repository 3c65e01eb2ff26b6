import {
  passkeyOriginsSchema,
  passkeySignInOptionsSchema,
  passkeySignInRequestSchema,
  signedInSchema,
} from '@berth/contract';
import { clientAddress, jsonBody, jsonResponse } from '@berth/http';
import type { Api } from '../http/api.ts';
import { defineRoute } from '../http/define-route.ts';
import { createSecret } from '../secrets/secrets.ts';
import type { BrowserCookie } from '../sessions/browser-cookie.ts';
import { sessionPlace } from '../sessions/session-place.ts';
import { type SignInAnswerDeps, toSignedIn } from '../sessions/sign-in-answer.ts';
import { CHALLENGE_MS } from './challenges.ts';
import type { PasskeySignIn } from './passkey-sign-in.ts';
import { requireParty } from './passkeys.ts';
import type { RelyingParty } from './relying-party.ts';

const optionsRoute = defineRoute('POST /v1/auth/passkey/options', {
  scope: 'public',
  errors: ['not_available'],
  operationId: 'createPasskeySignInOptions',
  tags: ['Sign-in'],
  summary: 'Start a passkey sign-in: options for the browser',
  description:
    'The options work once, within five minutes, in this browser: they come with a cookie, which is only set for pages of ' +
    'the platform (`X-Berth-Browser: 1`). The response is the same for all callers.',
  responses: { 200: jsonResponse(passkeySignInOptionsSchema, 'For `navigator.credentials.get`, in its JSON form') },
});

const signInRoute = defineRoute('POST /v1/auth/passkey/sign-in', {
  scope: 'public',
  errors: ['unauthenticated', 'not_available'],
  operationId: 'signInWithPasskey',
  tags: ['Sign-in'],
  summary: "Sign in with a passkey's signature",
  request: { body: jsonBody(passkeySignInRequestSchema) },
  responses: { 200: jsonResponse(signedInSchema, 'A session') },
});

const originsRoute = defineRoute('GET /.well-known/webauthn', {
  scope: 'public',
  errors: ['not_available'],
  operationId: 'getPasskeyOrigins',
  tags: ['Sign-in'],
  summary: "List the origins that can use this platform's passkeys",
  description: 'Source: WebAuthn 3 section 5.11, related origins.',
  responses: { 200: jsonResponse(passkeyOriginsSchema, 'The origins of the console') },
});

/** The dependencies of the routes. */
export interface PasskeySignInRouteDeps extends SignInAnswerDeps {
  readonly passkeySignIn: PasskeySignIn;
  /** Recognizes the browser between the two calls. */
  readonly passkeyCookie: BrowserCookie;
  readonly relyingParty: RelyingParty | undefined;
}

export function registerPasskeySignInRoutes(api: Api, deps: PasskeySignInRouteDeps): void {
  const { passkeySignIn, passkeyCookie } = deps;
  api.openapi(originsRoute, (c) => c.json({ origins: [...requireParty(deps.relyingParty).origins] }, 200));
  api.openapi(optionsRoute, async (c) => {
    const { headers } = c.req.raw;
    // One secret for all tabs, so that a second tab doesn't invalidate the challenge of the first.
    const browser = passkeyCookie.read(headers) || createSecret();
    const answer = await passkeySignIn.begin(browser, clientAddress(c));
    if (passkeyCookie.isWanted(headers)) passkeyCookie.set(c, browser, CHALLENGE_MS / 1_000);
    return c.json(answer, 200);
  });
  api.openapi(signInRoute, async (c) => {
    const place = sessionPlace(c);
    const visitor = { ...place, browser: passkeyCookie.read(c.req.raw.headers), requestId: c.get('requestId') };
    const signedIn = await passkeySignIn.finish(c.req.valid('json'), visitor);
    passkeyCookie.clear(c);
    return c.json(toSignedIn(c, signedIn, deps), 200);
  });
}
