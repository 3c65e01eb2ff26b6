import { type AgentApp, defineRoute } from '@berth/agent-core';
import { createError } from '@berth/contract';
import { connectorClientSchema } from '@berth/contract/agent';
import { jsonResponse } from '@berth/http';
import { CONNECTOR_TAGS, connectorParams } from '../../directory/routes/connector-route.ts';
import { clientDocument } from '../client-document.ts';
import { isOAuthConnector } from '../oauth-connector.ts';
import type { OAuthRouteDeps } from './oauth-route.ts';

/** Registers `GET /connectors/{name}/client.json` [+], the client metadata document, whose URL is the client id. */
export function registerClientDocumentRoute(app: AgentApp, deps: OAuthRouteDeps): void {
  const { declared, agentTitle, address } = deps;
  app.openapi(
    defineRoute({ access: 'public', errors: ['bad_request', 'not_found'] }, deps, {
      method: 'get',
      path: '/connectors/{name}/client.json',
      operationId: 'getConnectorClient',
      tags: CONNECTOR_TAGS,
      summary: 'What providers read of the agent',
      request: { params: connectorParams },
      responses: { 200: jsonResponse(connectorClientSchema, 'Its address is the id of the client') },
    }),
    (c) => {
      const { name } = c.req.valid('param');
      if (!isOAuthConnector(declared.find((one) => one.name === name))) {
        throw createError('not_found', 'There is no such connector.');
      }
      const document = clientDocument(address.of(c), name, agentTitle);
      return c.json(document, 200, { 'Cache-Control': 'public, max-age=300' });
    },
  );
}
