import { registerStream } from '@berth/http';
import { z } from '@hono/zod-openapi';
import { html } from 'hono/html';
import type { Api, ApiContext } from '../../http/api.ts';
import { defineRoute } from '../../http/define-route.ts';
import { OIDC_START_PATH } from '../../oidc/create-oidc-sign-in.ts';
import { type AuthorizeOutcome, type AuthorizeRequest, readAuthorizeRequest } from '../authorize-request.ts';
import { IDENTITY_PATHS, type IdentityDeps } from '../identity-deps.ts';
import type { IdentitySession } from '../identity-sessions.ts';
import { consentForm } from '../pages/consent-page.ts';
import { answerIdentityPage } from '../pages/identity-page.ts';
import { signInForm } from '../pages/sign-in-page.ts';
import { describePerson } from '../person.ts';
import { readForm } from '../read-form.ts';
import { signInWithForm } from '../sign-in-with-form.ts';

const authorizeRoute = (method: 'GET' | 'POST', path: string, operationId: string, summary: string) =>
  defineRoute(`${method} ${path}`, {
    scope: 'public',
    errors: method === 'POST' ? ['forbidden'] : [],
    operationId,
    tags: ['Signing in to agents'],
    summary,
    description: 'For browsers. RFC 6749 section 4.1, with PKCE (RFC 7636).',
    request: {
      query: z.object({
        client_id: z.string(),
        redirect_uri: z.string(),
        response_type: z.literal('code'),
        code_challenge: z.string(),
        code_challenge_method: z.literal('S256'),
        scope: z.string().optional(),
        state: z.string().optional(),
        nonce: z.string().optional(),
        prompt: z.string().optional(),
        max_age: z.string().optional().openapi({ description: 'Seconds' }),
      }),
    },
    responses: {
      200: { description: 'A page', content: { 'text/html': { schema: z.string() } } },
      303: { description: 'To the next step, or to `redirect_uri` with a code or an error' },
    },
  });

const startRoute = authorizeRoute('GET', IDENTITY_PATHS.authorize, 'authorize', 'Ask for an authorization code');
const signInRoute = authorizeRoute('POST', IDENTITY_PATHS.signIn, 'signInToAgent', 'Sign in on the way to an agent');
const consentRoute = authorizeRoute('POST', IDENTITY_PATHS.consent, 'consentToAgent', 'Let an agent know the person');

/**
 * The authorization code flow (RFC 6749 section 4.1): sign-in and consent, then a redirect to the agent with a code.
 * Each step carries the whole request in its query and checks it anew: no step trusts the one before.
 */
export function registerAuthorize(api: Api, deps: IdentityDeps): void {
  const { clients, sessions, consents, cookies } = deps;
  const read = (c: ApiContext) => readAuthorizeRequest(queryOf(c), clients);

  registerStream(api, startRoute, async (c) => {
    const outcome = await read(c);
    if (outcome.kind !== 'good') return answerProblem(c, deps, outcome);
    return answerRequest(c, deps, outcome.request);
  });

  registerStream(api, signInRoute, async (c) => {
    const outcome = await read(c);
    if (outcome.kind !== 'good') return answerProblem(c, deps, outcome);
    const form = await readForm(c);
    cookies.requireOwnForm(c, form);
    const result = await signInWithForm(c, deps, form);
    if (result.problem !== undefined) {
      return showSignIn(c, deps, outcome.request, { problem: result.problem, email: form.get('email') ?? undefined });
    }
    cookies.setSession(c, result.sessionSecret);
    return c.redirect(withoutPrompt(c, ['login', 'select_account']), 303);
  });

  registerStream(api, consentRoute, async (c) => {
    const outcome = await read(c);
    if (outcome.kind !== 'good') return answerProblem(c, deps, outcome);
    const form = await readForm(c);
    cookies.requireOwnForm(c, form);
    const { request } = outcome;
    const session = await sessions.find(cookies.session(c));
    if (!session) return showSignIn(c, deps, request, {});
    if (form.get('decision') !== 'allow') {
      return answerClient(c, deps, request.redirectTo, {
        error: 'access_denied',
        error_description: 'the person said no',
      });
    }
    await consents.give(session, request.client);
    return answerCode(c, deps, request, session);
  });
}

async function answerRequest(c: ApiContext, deps: IdentityDeps, request: AuthorizeRequest): Promise<Response> {
  const { sessions, consents, cookies, clock, db } = deps;
  const { prompt, maxAgeSeconds, redirectTo, client } = request;
  const fail = (error: string, error_description: string) =>
    answerClient(c, deps, redirectTo, { error, error_description });
  const session = await sessions.find(cookies.session(c));
  const person = session && (await describePerson(db, session));
  const isTooOld =
    maxAgeSeconds !== undefined && session && clock.nowMs() - session.createdAtMs > maxAgeSeconds * 1_000;
  if (!session || !person || isTooOld || prompt.has('login') || prompt.has('select_account')) {
    return prompt.has('none') ? fail('login_required', 'nobody is signed in') : showSignIn(c, deps, request, {});
  }
  if (prompt.has('consent') || !(await consents.has(session, client))) {
    if (prompt.has('none')) return fail('consent_required', 'the person was not asked yet');
    const form = { clientId: client.id, nextUrl: redirectTo, person, formToken: cookies.formToken(c) };
    const content = consentForm({ ...form, action: IDENTITY_PATHS.consent + new URL(c.req.url).search });
    return answerIdentityPage(c, { title: `Go on to ${client.id}?`, content, nextUrl: redirectTo });
  }
  return answerCode(c, deps, request, session);
}

async function answerCode(
  c: ApiContext,
  deps: IdentityDeps,
  request: AuthorizeRequest,
  session: IdentitySession,
): Promise<Response> {
  return answerClient(c, deps, request.redirectTo, { code: await deps.grants.createCode({ ...request, session }) });
}

/** Redirects the person to the client, with the issuer in `iss` (RFC 9207). */
function answerClient(
  c: ApiContext,
  { issuer }: Pick<IdentityDeps, 'issuer'>,
  redirectTo: URL,
  parameters: Readonly<Record<string, string>>,
): Response {
  for (const [name, value] of Object.entries({ ...parameters, iss: issuer })) redirectTo.searchParams.set(name, value);
  c.header('Cache-Control', 'no-store');
  c.header('Referrer-Policy', 'no-referrer');
  return c.redirect(redirectTo.href, 303);
}

async function answerProblem(
  c: ApiContext,
  deps: IdentityDeps,
  outcome: Exclude<AuthorizeOutcome, { kind: 'good' }>,
): Promise<Response> {
  if (outcome.kind === 'refused') {
    const content = html`<p>${outcome.problem}</p>`;
    return answerIdentityPage(c, { title: 'This sign-in can’t go on', content, status: 400 });
  }
  const { error, description } = outcome;
  return answerClient(c, deps, outcome.redirectTo, { error, error_description: description });
}

function showSignIn(
  c: ApiContext,
  { cookies, providers }: Pick<IdentityDeps, 'cookies' | 'providers'>,
  { client, redirectTo }: AuthorizeRequest,
  tried: { readonly problem?: string | undefined; readonly email?: string | undefined },
): Promise<Response> {
  const action = IDENTITY_PATHS.signIn + new URL(c.req.url).search;
  const returnTo = withoutPrompt(c, ['login', 'select_account']);
  const content = signInForm({
    ...tried,
    clientId: client.id,
    action,
    formToken: cookies.formToken(c),
    providers: providers.map(({ id, name }) => {
      const query = new URLSearchParams({ provider: id, return_to: returnTo });
      return { name, href: `${OIDC_START_PATH}?${query}` };
    }),
  });
  const status = tried.problem === undefined ? 200 : 403;
  return answerIdentityPage(c, { title: 'Sign in to Berth', content, status, nextUrl: redirectTo });
}

function queryOf(c: ApiContext): URLSearchParams {
  return new URL(c.req.url).searchParams;
}

/** The address of this request without the given prompts. */
function withoutPrompt(c: ApiContext, done: readonly string[]): string {
  const query = queryOf(c);
  const prompt = (query.get('prompt') ?? '').split(' ').filter((word) => word !== '' && !done.includes(word));
  query.delete('prompt');
  // The person has just signed in, which satisfies any max_age.
  query.delete('max_age');
  if (prompt.length > 0) query.set('prompt', prompt.join(' '));
  return `${IDENTITY_PATHS.authorize}?${query}`;
}
