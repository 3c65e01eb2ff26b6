import { createError } from '@berth/contract';
import { CONNECTOR_NAME } from '@berth/contract/agent';
import { registerStream } from '@berth/http';
import { z } from '@hono/zod-openapi';
import type { Api } from '../../http/api.ts';
import { defineRoute } from '../../http/define-route.ts';
import { IDENTITY_PATHS, type IdentityDeps } from '../identity-deps.ts';
import { LOOPBACK_HOSTS } from '../loopback-hosts.ts';

const connectorCallbackRoute = defineRoute(`GET ${IDENTITY_PATHS.connectorCallback}`, {
  scope: 'public',
  errors: ['not_found'],
  operationId: 'passConnectorCallbackOn',
  tags: ['Signing in to agents'],
  summary: "Forward a connector's callback to its agent",
  description:
    'For browsers, on platforms at `localhost` only. OAuth providers redirect to https addresses and to `localhost`, but not to `<name>.localhost`, where such a platform serves its agents.',
  request: { params: z.object({ deployment: z.string(), connector: z.string() }) },
  responses: { 302: { description: "To the agent's `/connectors/{name}/callback`, with the same query" } },
});

/**
 * Passes callbacks of OAuth providers on to agents. The route sends browsers only to deployments of this platform, and only
 * to the one path where an agent checks the answer's `state` and the browser that began the sign-in.
 */
export function registerConnectorCallback(
  api: Api,
  { issuer, clients, urlOf }: Pick<IdentityDeps, 'issuer' | 'clients' | 'urlOf'>,
): void {
  const isLocal = LOOPBACK_HOSTS.includes(new URL(issuer).hostname);
  registerStream(api, connectorCallbackRoute, async (c) => {
    const { deployment = '', connector = '' } = c.req.param();
    // A name with an encoded slash would lead to another path of the agent.
    const client = isLocal && CONNECTOR_NAME.test(connector) ? await clients.find(deployment) : undefined;
    if (client?.accountId === undefined) throw createError('not_found', 'No such connector.');
    const url = new URL(`/connectors/${connector}/callback`, urlOf(deployment));
    url.search = new URL(c.req.url).search;
    c.header('Cache-Control', 'no-store');
    c.header('Referrer-Policy', 'no-referrer');
    return c.redirect(url.href, 302);
  });
}
