import {
  createError,
  joinWithProviderRequestSchema,
  linkIdentityRequestSchema,
  messageSchema,
  ownIdentitiesSchema,
  providerAddressSchema,
  type SignInProblem,
  signInWaySchema,
  startSignInQuerySchema,
} from '@berth/contract';
import { clientAddress, jsonBody, jsonResponse } from '@berth/http';
import type { Clock } from '@berth/kit';
import { z } from '@hono/zod-openapi';
import { auditSource } from '../audit/audit-log.ts';
import type { Api, ApiContext } from '../http/api.ts';
import { defineRoute } from '../http/define-route.ts';
import { createRateLimiter } from '../limits/rate-limiter.ts';
import type { AccountMail } from '../mail/account-mail.ts';
import { findRelyingParty } from '../passkeys/relying-party.ts';
import { requirePerson } from '../principal/principal.ts';
import type { BrowserCookie } from '../sessions/browser-cookie.ts';
import { sessionPlace } from '../sessions/session-place.ts';
import { SESSION_SECONDS, type Sessions } from '../sessions/sessions.ts';
import { OIDC_CALLBACK_PATH, OIDC_START_PATH, type OidcSignIn, problemOf } from './create-oidc-sign-in.ts';
import type { OidcFlow } from './oidc-flow.ts';

const providersRoute = defineRoute('GET /v1/auth/providers', {
  scope: 'public',
  operationId: 'listSignInWays',
  tags: ['Sign-in'],
  summary: "List the platform's sign-in methods",
  responses: { 200: jsonResponse(z.array(signInWaySchema), 'In display order') },
});

const startRoute = defineRoute(`GET ${OIDC_START_PATH}`, {
  scope: 'public',
  operationId: 'startSignIn',
  tags: ['Sign-in'],
  summary: 'Lead a browser to a provider, and back to `return_to` with a session',
  description: 'Only for browsers. Errors are shown by the page `/sign-in-problem` of the console.',
  request: { query: startSignInQuerySchema },
  responses: { 303: { description: 'To the provider' } },
});

const callbackRoute = defineRoute(`GET ${OIDC_CALLBACK_PATH}`, {
  scope: 'public',
  operationId: 'finishSignIn',
  tags: ['Sign-in'],
  summary: 'Handle the redirect from a provider',
  description: 'The redirect URI to register at the provider.',
  responses: { 303: { description: 'To the requested page, with a session in a cookie' } },
});

const joinRoute = defineRoute('POST /v1/auth/oidc/join', {
  scope: 'public',
  errors: ['not_found'],
  operationId: 'joinWithProvider',
  tags: ['Sign-in'],
  summary: 'Accept an invitation by signing in with a provider',
  request: { body: jsonBody(joinWithProviderRequestSchema) },
  responses: { 200: jsonResponse(providerAddressSchema, 'The URL to open next') },
});

const listRoute = defineRoute('GET /v1/user/identities', {
  scope: 'session',
  operationId: 'listIdentities',
  tags: ['Account'],
  summary: "List the person's identity providers, and whether they have a password",
  responses: { 200: jsonResponse(ownIdentitiesSchema, 'Oldest connection first') },
});

const linkRoute = defineRoute('POST /v1/user/identities', {
  scope: 'session',
  errors: ['not_found'],
  operationId: 'linkIdentity',
  tags: ['Account'],
  summary: 'Connect a provider to the person, who must have signed in within 15 minutes',
  request: { body: jsonBody(linkIdentityRequestSchema) },
  responses: { 200: jsonResponse(providerAddressSchema, 'The URL to open next') },
});

const unlinkRoute = defineRoute('DELETE /v1/user/identities', {
  scope: 'session',
  errors: ['not_found', 'conflict'],
  operationId: 'unlinkIdentity',
  tags: ['Account'],
  summary: 'Disconnect a provider',
  request: { query: z.object({ id: z.string().min(1) }) },
  responses: { 200: jsonResponse(messageSchema, 'The provider is disconnected; existing sessions continue') },
});

/** The dependencies of the routes. */
export interface OidcRouteDeps {
  readonly oidc: OidcSignIn;
  readonly sessionCookie: BrowserCookie;
  readonly sessions: Pick<Sessions, 'isFresh'>;
  readonly clock: Clock;
  /** Where the API is reached. */
  readonly baseUrl: string;
  readonly accountMail: AccountMail | undefined;
}

/** Sign-ins that begin or end, per address. Each may cause a request to a provider. */
const LIMIT = { windowSeconds: 60, max: 30 } as const;

export function registerOidcRoutes(api: Api, deps: OidcRouteDeps): void {
  const { oidc, sessionCookie, sessions, clock, baseUrl, accountMail } = deps;
  const limiter = createRateLimiter(clock);
  const limitKey = (c: ApiContext) => clientAddress(c) ?? '';
  const isOverLimit = (c: ApiContext) => limiter.consume(limitKey(c), LIMIT) !== undefined;
  const address = async (c: ApiContext, flow: OidcFlow) => {
    limiter.take(limitKey(c), LIMIT);
    try {
      return { url: (await oidc.begin(c, flow)).href };
    } catch (error) {
      if (problemOf(error) !== 'unavailable') throw error;
      throw createError('unavailable', `The sign-in with ${flow.provider} does not respond. Try again later.`);
    }
  };

  const sendsEmail = accountMail ? { sends_email: true } : {};
  const password = { kind: 'password', id: 'password', name: 'Password', ...sendsEmail } as const;
  const passkey = { kind: 'passkey', id: 'passkey', name: 'Passkey' } as const;
  const ways = [password, ...(findRelyingParty(baseUrl) ? [passkey] : []), ...oidc.ways];
  api.openapi(providersRoute, (c) => c.json(ways, 200));

  api.openapi(startRoute, async (c) => {
    const { provider, return_to: returnTo = '/' } = c.req.valid('query');
    // The provider redirects to the platform's own host, and a cookie belongs to one host.
    const { host } = new URL(baseUrl);
    if (c.req.header('host') !== host && c.req.query('moved') === undefined) {
      const own = new URL(c.req.path, baseUrl);
      own.search = new URLSearchParams({ provider, return_to: returnTo, moved: '1' }).toString();
      return lead(c, own.href);
    }
    const flow = { provider, returnTo, purpose: { kind: 'sign-in' } } as const;
    if (isOverLimit(c)) return leadToProblem(c, 'too_many', flow);
    try {
      return lead(c, (await oidc.begin(c, flow)).href);
    } catch (error) {
      const problem = problemOf(error);
      if (problem === undefined) throw error;
      return leadToProblem(c, problem, flow);
    }
  });

  api.openapi(callbackRoute, async (c) => {
    if (isOverLimit(c)) return leadToProblem(c, 'too_many');
    const outcome = await oidc.finish(c, new URL(c.req.url).searchParams, sessionPlace(c));
    if (outcome.kind === 'refused') return leadToProblem(c, outcome.problem, outcome.flow);
    const { returnTo } = outcome;
    if (outcome.kind === 'signed-in') {
      const { token } = outcome.signedIn;
      sessionCookie.set(c, token, SESSION_SECONDS);
      for (const tell of oidc.after) await tell(c, { token, returnTo });
    }
    return lead(c, returnTo);
  });

  api.openapi(joinRoute, async (c) => {
    const { provider, token } = c.req.valid('json');
    return c.json(await address(c, { provider, returnTo: '/', purpose: { kind: 'join', token } }), 200);
  });
  api.openapi(listRoute, async (c) => c.json(await oidc.list(requirePerson(c.get('principal'))), 200));
  api.openapi(linkRoute, async (c) => {
    const { provider, return_to: returnTo = '/account' } = c.req.valid('json');
    const userId = requirePerson(c.get('principal'));
    const { sessionId } = c.get('principal');
    if (sessionId === undefined || !(await sessions.isFresh(sessionId))) {
      throw createError(
        'forbidden',
        'Your sign-in is older than 15 minutes. Sign in again, then connect the provider.',
      );
    }
    const purpose = { kind: 'link', userId, sessionId } as const;
    return c.json(await address(c, { provider, returnTo, purpose }), 200);
  });
  api.openapi(unlinkRoute, async (c) => {
    await oidc.unlink(requirePerson(c.get('principal')), c.req.valid('query').id, auditSource(c));
    return c.json({ detail: 'Provider disconnected.' }, 200);
  });
}

function lead(c: ApiContext, url: string) {
  c.header('Cache-Control', 'no-store');
  c.header('Referrer-Policy', 'no-referrer');
  return c.redirect(url, 303);
}

function leadToProblem(c: ApiContext, problem: SignInProblem, flow?: OidcFlow) {
  const query = new URLSearchParams({ problem });
  if (flow) query.set('provider', flow.provider);
  if (flow) query.set('return_to', flow.returnTo);
  return lead(c, `/sign-in-problem?${query}`);
}
