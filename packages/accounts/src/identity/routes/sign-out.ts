import { registerStream } from '@berth/http';
import { z } from '@hono/zod-openapi';
import { html } from 'hono/html';
import type { Api, ApiContext } from '../../http/api.ts';
import { defineRoute } from '../../http/define-route.ts';
import { IDENTITY_PATHS, type IdentityDeps } from '../identity-deps.ts';
import { answerIdentityPage, formTokenField } from '../identity-page.ts';
import type { IdentitySession } from '../identity-sessions.ts';
import { subjectOf } from '../person.ts';
import { readForm } from '../read-form.ts';

const signOutRoute = (method: 'GET' | 'POST', operationId: string, summary: string) =>
  defineRoute(`${method} ${IDENTITY_PATHS.signOut}`, {
    scope: 'public',
    errors: method === 'POST' ? ['forbidden'] : [],
    operationId,
    tags: ['Signing in to agents'],
    summary,
    description: 'For browsers. OpenID Connect RP-Initiated Logout 1.0.',
    request: {
      query: z.object({
        id_token_hint: z.string().optional(),
        client_id: z.string().optional(),
        post_logout_redirect_uri: z.string().optional(),
        state: z.string().optional(),
      }),
    },
    responses: {
      200: { description: 'A page', content: { 'text/html': { schema: z.string() } } },
      303: { description: 'To `post_logout_redirect_uri`' },
    },
  });

/**
 * Sign-out (OpenID Connect RP-Initiated Logout 1.0). A client that shows an ID token of the person who is signed in ends the
 * session at once; otherwise the person is asked first. Afterwards they go to `post_logout_redirect_uri`, if it is an
 * address of the client.
 */
export function registerSignOut(api: Api, deps: IdentityDeps): void {
  const { sessions, tokens, cookies } = deps;

  const end = async (c: ApiContext, session: IdentitySession | undefined): Promise<Response> => {
    if (session) await sessions.end(session);
    cookies.clearSession(c);
    const next = await findNext(c, deps);
    if (next) return c.redirect(next.href, 303);
    return answerIdentityPage(c, { title: 'Signed out', content: html`<p>You can close this page.</p>` });
  };

  registerStream(
    api,
    signOutRoute('GET', 'signOutOfAgents', 'Sign out of agents, or confirm the sign-out'),
    async (c) => {
      const session = await sessions.find(cookies.session(c));
      if (!session) return end(c, undefined);
      const hint = await tokens.readIdHint(c.req.query('id_token_hint') ?? '');
      if (hint?.subject === subjectOf(session)) return end(c, session);
      const action = IDENTITY_PATHS.signOut + new URL(c.req.url).search;
      // Any site can link here, so no one is signed out unasked.
      const content = html`<p>You stay signed in at agents until their tokens expire, within ten minutes.</p>
<form method="post" action="${action}">${formTokenField(cookies.formToken(c))}
<button class="main">Sign out</button></form>`;
      return answerIdentityPage(c, { title: 'Sign out of Berth?', content, nextUrl: await findNext(c, deps) });
    },
  );

  registerStream(api, signOutRoute('POST', 'confirmSignOutOfAgents', 'Confirm the sign-out'), async (c) => {
    cookies.requireOwnForm(c, await readForm(c));
    return end(c, await sessions.find(cookies.session(c)));
  });
}

async function findNext(c: ApiContext, { clients, tokens }: Pick<IdentityDeps, 'clients' | 'tokens'>) {
  const uri = c.req.query('post_logout_redirect_uri');
  if (uri === undefined) return undefined;
  const clientId = c.req.query('client_id') ?? (await tokens.readIdHint(c.req.query('id_token_hint') ?? ''))?.clientId;
  const next = (await clients.find(clientId ?? ''))?.redirectTo(uri);
  const state = c.req.query('state');
  if (state !== undefined) next?.searchParams.set('state', state);
  return next;
}
