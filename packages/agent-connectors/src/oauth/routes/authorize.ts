import { type AgentApp, routesOf } from '@berth/agent-core';
import { createError } from '@berth/contract';
import { authorizeConnectorQuerySchema, authorizeConnectorSchema } from '@berth/contract/agent';
import { jsonResponse } from '@berth/http';
import { callerOf } from '../../connector/caller.ts';
import { isOAuthConnector } from '../../connector/connector.ts';
import { defaultScope } from '../../credentials/slots-of.ts';
import { connectorParams } from '../../directory/routes/connector-route.ts';
import { markBrowser } from '../browser-mark.ts';
import type { OAuthRouteDeps } from './oauth-route.ts';

/**
 * Registers `POST /connectors/{name}/authorize`, which starts an authorization. Source: docs/contract/agent-api.md §8.
 */
export function registerAuthorizeRoute(app: AgentApp, deps: OAuthRouteDeps): void {
  const route = routesOf(app, deps, 'Connectors');
  const { directory, grants, address, authorizations } = deps;
  route('POST /connectors/{name}/authorize', 'authorizeConnector', {
    access: 'user',
    errors: ['bad_request', 'forbidden', 'not_found'],
    summary: 'Start connecting: get the consent URL',
    description: 'Open `url` in a browser. It works once, within 600 s.',
    request: { params: connectorParams, query: authorizeConnectorQuerySchema },
    responses: { 200: jsonResponse(authorizeConnectorSchema, 'Open it in a browser') },
  }).handle(async (c) => {
    const caller = callerOf(c);
    const { connector } = await directory.get(caller, c.req.valid('param').name);
    if (!isOAuthConnector(connector)) {
      const how = connector.auth.type === 'key' ? `PUT /connectors/${connector.name}/key` : 'nothing, it is connected';
      throw createError('bad_request', `${connector.title} needs no sign-in. To connect it: ${how}.`);
    }
    const { scope = defaultScope(connector) } = c.req.valid('query');
    grants.ownerOf(caller, connector, scope);
    const origin = address.of(c);
    const { hash: browserHash } = markBrowser(c, origin);
    const registrationUri = address.registrationUri(origin, connector.name);
    const url = await authorizations.begin({ caller, connector, scope, origin, registrationUri, browserHash });
    return c.json({ url: url.href }, 200, { 'Cache-Control': 'no-store' });
  });
}
