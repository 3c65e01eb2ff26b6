import { createError, signInRequestSchema } from '@berth/contract';
import { API_KEY_HEADER } from '@berth/contract/headers';
import { registerStream } from '@berth/http';
import { BerthError } from '@berth/kit';
import { z } from '@hono/zod-openapi';
import { html } from 'hono/html';
import type { Api, ApiContext } from '../../http/api.ts';
import { defineRoute } from '../../http/define-route.ts';
import { OIDC_START_PATH } from '../../oidc/create-oidc-sign-in.ts';
import { sessionPlace } from '../../sessions/session-place.ts';
import { type AuthorizeOutcome, type AuthorizeRequest, readAuthorizeRequest } from '../authorize-request.ts';
import { IDENTITY_PATHS, type IdentityDeps } from '../identity-deps.ts';
import { answerIdentityPage, formTokenField } from '../identity-page.ts';
import type { IdentitySession } from '../identity-sessions.ts';
import { describePerson, type PersonClaims } from '../person.ts';
import { readForm } from '../read-form.ts';
import { REGISTERED_SCOPES } from '../registered-client.ts';

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
        resource: z.string().optional().openapi({ description: 'RFC 8707; only of registered clients' }),
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

const startRoute = authorizeRoute('GET', IDENTITY_PATHS.authorize, 'authorize', 'Request an authorization code');
const signInRoute = authorizeRoute('POST', IDENTITY_PATHS.signIn, 'signInToAgent', 'Sign in to an agent');
const consentRoute = authorizeRoute(
  'POST',
  IDENTITY_PATHS.consent,
  'consentToAgent',
  'Consent to share the person with an agent',
);

/**
 * The authorization code flow (RFC 6749 section 4.1): sign-in and consent, then a redirect to the agent with a code.
 * Each step carries the whole request in its query and checks it again: no step trusts the previous one.
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
    try {
      cookies.setSession(c, await signInWithForm(c, deps, form));
    } catch (error) {
      if (!BerthError.is(error) || error.status >= 500) throw error;
      return showSignIn(c, deps, outcome.request, { problem: error.message, email: form.get('email') ?? undefined });
    }
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
        error_description: 'the person declined',
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
    return prompt.has('none') ? fail('login_required', 'no one is signed in') : showSignIn(c, deps, request, {});
  }
  if (prompt.has('consent') || !(await consents.has(session, client))) {
    if (prompt.has('none')) return fail('consent_required', 'consent is required');
    const action = IDENTITY_PATHS.consent + new URL(c.req.url).search;
    const content = html`${client.resource === undefined ? describeSharing(request, person) : describeAccess(request, person)}
<form method="post" action="${action}">${formTokenField(cookies.formToken(c))}
<button class="main" name="decision" value="allow">Continue</button>
<button name="decision" value="deny">Cancel</button></form>`;
    const title = client.resource === undefined ? `Go on to ${client.title}?` : `Connect ${client.title}?`;
    return answerIdentityPage(c, { title, content, nextUrl: redirectTo });
  }
  return answerCode(c, deps, request, session);
}

/** Returns what a deployment will see of the person. */
function describeSharing({ client, redirectTo }: AuthorizeRequest, { name, email, org_slug }: PersonClaims) {
  return html`<p><strong>${client.title}</strong> at ${redirectTo.host} will see your name${email ? ', e-mail address' : ''} and
account: ${name}${email ? html` (${email})` : ''}, ${org_slug}.</p>`;
}

const SCOPE_TEXTS: Readonly<Record<(typeof REGISTERED_SCOPES)[number], string>> = {
  read: 'See services, deploys, metrics and the names of variables',
  deploy: 'Deploy, roll back and change variables',
  volumes: 'Read and write the objects of volumes',
  logs: 'Read logs and run SQL over logs and billing',
};

/** Returns what a registered client will be able to do. Its name is its own choice, so the address is shown next to it. */
function describeAccess({ client, redirectTo, scope }: AuthorizeRequest, { name, org_slug }: PersonClaims) {
  const scopes = REGISTERED_SCOPES.filter((one) => scope.split(' ').includes(one));
  return html`<p>A program that calls itself <strong>${client.title}</strong>, at ${redirectTo.protocol}//${redirectTo.host}, asks to act
as ${name} in the account ${org_slug}:</p>
<ul>${scopes.map((one) => html`<li>${SCOPE_TEXTS[one]}</li>`)}</ul>
<p>Continue only if you have just connected this program yourself.</p>`;
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
    return answerIdentityPage(c, { title: 'This sign-in can’t continue', content, status: 400 });
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
  const { problem, email = '' } = tried;
  const action = IDENTITY_PATHS.signIn + new URL(c.req.url).search;
  const returnTo = withoutPrompt(c, ['login', 'select_account']);
  const token = formTokenField(cookies.formToken(c));
  const links = providers.map(({ id, name }) => {
    const href = `${OIDC_START_PATH}?${new URLSearchParams({ provider: id, return_to: returnTo })}`;
    return html`<p><a class="button" href="${href}">Continue with ${name}</a></p>`;
  });
  const content = html`<p>to continue to <strong>${client.title}</strong></p>
${problem === undefined ? '' : html`<p class="problem" role="alert">${problem}</p>`}
<form method="post" action="${action}">${token}
<label for="email">E-mail address</label>
<input id="email" name="email" type="email" autocomplete="username" required autofocus value="${email}">
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required maxlength="128">
<button class="main">Sign in</button></form>
${links}
<details><summary>With an API key instead</summary>
<form method="post" action="${action}">${token}
<label for="api_key">API key of this platform</label>
<input id="api_key" name="api_key" type="password" autocomplete="off" required maxlength="512">
<button>Sign in</button></form></details>`;
  const status = problem === undefined ? 200 : 403;
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

/** Signs in with an e-mail address and a password, or with an API key. Returns the secret for the browser's cookie. */
async function signInWithForm(
  c: ApiContext,
  { passwords, authenticate, sessions }: IdentityDeps,
  form: URLSearchParams,
): Promise<string> {
  const key = form.get('api_key')?.trim();
  if (key !== undefined) {
    // A header can't hold the other characters, and no key has them.
    const principal = await authenticate(new Headers({ [API_KEY_HEADER]: key.replaceAll(/[^\x21-\x7e]/g, '?') }));
    return sessions.create(principal, { kind: 'key' });
  }
  const email = form.get('email')?.trim() ?? '';
  if (!signInRequestSchema.shape.email.safeParse(email).success) throw createError('bad_request', 'Invalid email.');
  const { token } = await passwords.signIn({ email, password: form.get('password') ?? '' }, sessionPlace(c));
  const principal = await authenticate(new Headers({ authorization: `Bearer ${token}` }));
  return sessions.create(principal, { kind: 'password', sessionToken: token });
}
