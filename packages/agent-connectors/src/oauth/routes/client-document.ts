import { type AgentApp, routesOf } from '@berth/agent-core';
import { createError } from '@berth/contract';
import { connectorClientSchema } from '@berth/contract/agent';
import { jsonResponse } from '@berth/http';
import { isOAuthConnector } from '../../connector/connector.ts';
import { connectorParams } from '../../directory/routes/connector-route.ts';
import { clientDocument } from '../client-document.ts';
import type { OAuthRouteDeps } from './oauth-route.ts';

/** Registers `GET /connectors/{name}/client.json` [+], the client metadata document, whose URL is the client id. */
export function registerClientDocumentRoute(app: AgentApp, deps: OAuthRouteDeps): void {
  const route = routesOf(app, deps, 'Connectors');
  const { declared, agentTitle, address } = deps;
  route('GET /connectors/{name}/client.json', 'getConnectorClient', {
    access: 'public',
    errors: ['bad_request', 'not_found'],
    summary: "Get the agent's client metadata for providers",
    request: { params: connectorParams },
    responses: { 200: jsonResponse(connectorClientSchema, 'Its URL is the client ID') },
  }).handle((c) => {
    const { name } = c.req.valid('param');
    if (!isOAuthConnector(declared.find((one) => one.name === name))) {
      throw createError('not_found', 'No such connector.');
    }
    const document = clientDocument(address.of(c), name, agentTitle);
    return c.json(document, 200, { 'Cache-Control': 'public, max-age=300' });
  });
}
