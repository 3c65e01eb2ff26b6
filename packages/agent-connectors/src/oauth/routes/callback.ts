import { type AgentApp, type AgentAppContext, bearerToken, routesOf, type User } from '@berth/agent-core';
import { createError } from '@berth/contract';
import { connectorCallbackQuerySchema } from '@berth/contract/agent';
import { readBody } from '@berth/http';
import { BerthError } from '@berth/kit';
import { z } from '@hono/zod-openapi';
import { isOAuthConnector, type OAuthConnector } from '../../connector/connector.ts';
import { connectorParams } from '../../directory/routes/connector-route.ts';
import { findMark, isBrowser, markBrowser } from '../browser-mark.ts';
import { answerPage } from '../callback-page.ts';
import { AuthorizationRefused, type PendingAuthorization } from '../create-authorizations.ts';
import type { OAuthRouteDeps } from './oauth-route.ts';

/** Maximum size of the confirmation form. */
const FORM_BYTES = 4_096;

/**
 * Registers `GET /connectors/{name}/callback`, the redirect URI, and its `POST` [+]. A browser that didn't start the
 * authorization has to confirm it: the page's button sends the `POST`. Source: docs/contract/agent-api.md §8; RFC 9700,
 * 4.7.
 */
export function registerCallbackRoutes(app: AgentApp, deps: OAuthRouteDeps): void {
  const route = routesOf(app, deps, 'Connectors');
  const { declared, agentTitle, authorizations } = deps;
  const confirmations = deps.secrets.box('oauth confirmation');

  const answer = async (c: AgentAppContext, name: string, confirmation: string | undefined): Promise<Response> => {
    const connector = declared.find((one) => one.name === name);
    if (!isOAuthConnector(connector)) throw createError('not_found', 'No such connector.');
    try {
      return await connect(c, connector, confirmation);
    } catch (error) {
      const isExpected =
        error instanceof AuthorizationRefused || (error instanceof BerthError && error.code !== 'internal');
      if (!isExpected) throw error;
      if (!isBrowser(c)) throw createError('bad_request', error.message);
      const heading = `${connector.title} is not connected`;
      return answerPage(c, 400, { connector: name, heading, text: error.message, isConnected: false });
    }
  };

  const connect = async (c: AgentAppContext, connector: OAuthConnector, confirmation: string | undefined) => {
    const { name, title } = connector;
    const parameters = new URL(c.req.url).searchParams;
    const state = parameters.get('state') ?? '';
    const pending = await authorizations.look(name, state);
    await refuseOthers(c, deps, pending.user);
    const mark = findMark(c, new URL(pending.redirectUri).origin);
    if (isBrowser(c) && mark?.hash !== pending.browserHash) {
      // The confirmation is bound to the browser that was shown the page: an attacker can't make another browser send
      // it.
      const isConfirmed = mark && confirmation && confirmations.open(confirmation, [mark.hash]) === state;
      if (!isConfirmed) return ask(c, connector, pending, state);
    }
    await authorizations.finish(name, state, parameters);
    const text = 'You can close this window.';
    return answerPage(c, 200, { connector: name, heading: `${title} is connected`, text, isConnected: true });
  };

  const ask = (c: AgentAppContext, { name, title }: OAuthConnector, pending: PendingAuthorization, state: string) => {
    const { user, scope, redirectUri } = pending;
    const { hash } = markBrowser(c, new URL(redirectUri).origin);
    const whose = `${user.email ?? user.name ?? user.id}${scope === 'workspace' ? ' for all members of a workspace' : ''}`;
    return answerPage(c, 200, {
      connector: name,
      heading: `Connect your ${title} to ${agentTitle}?`,
      text: `This was started elsewhere by ${whose}, who will be able to use your data at ${title}. If that is not you, or someone sent you this link, close this window.`,
      confirmation: confirmations.seal(state, [hash]),
    });
  };

  const request = { params: connectorParams, query: connectorCallbackQuerySchema };
  const responses = { 200: { content: { 'text/html': { schema: z.string() } }, description: 'A page for people' } };
  const errors = ['bad_request', 'not_found'] as const;

  route('GET /connectors/{name}/callback', 'finishConnector', {
    access: 'public',
    errors,
    summary: 'Handle the redirect from a provider',
    description:
      'Notifies the page that opened it and closes. A browser that did not start the sign-in must confirm first.',
    request,
    responses,
  }).handle(async (c) => answer(c, c.req.valid('param').name, undefined) as never);

  route('POST /connectors/{name}/callback', 'confirmConnector', {
    access: 'public',
    errors: [...errors, 'payload_too_large'],
    summary: 'Confirm on that page',
    request,
    responses,
  }).handle(async (c) => {
    const form = new URLSearchParams(Buffer.from(await readBody(c, FORM_BYTES)).toString());
    return answer(c, c.req.valid('param').name, form.get('confirmation') ?? undefined) as never;
  });
}

/** Rejects a bearer token of any user other than the one who started the authorization. */
async function refuseOthers(c: AgentAppContext, { authenticator }: OAuthRouteDeps, user: User): Promise<void> {
  const token = bearerToken(c);
  if (token === undefined) return;
  const shown = await authenticator?.verify(token);
  if (shown?.id !== user.id || shown.orgId !== user.orgId) {
    throw new AuthorizationRefused('This sign-in was started by another person.');
  }
}
