import { type AgentApp, routesOf } from '@berth/agent-core';
import { createError } from '@berth/contract';
import { grantScopeSchema } from '@berth/contract/agent';
import { z } from '@hono/zod-openapi';
import { callerOf } from '../../connector/caller.ts';
import { defaultScope } from '../../credentials/slots-of.ts';
import { changed, changedResponse, connectorParams, type DirectoryRouteDeps } from './connector-route.ts';

/** Registers `DELETE /connectors/{name}`. */
export function registerDeleteConnector(app: AgentApp, deps: DirectoryRouteDeps): void {
  const route = routesOf(app, deps, 'Connectors');
  const { directory, grants } = deps;
  route('DELETE /connectors/{name}', 'disconnectConnector', {
    access: 'user',
    errors: ['bad_request', 'forbidden', 'not_found'],
    summary: 'Disconnect and delete the credential',
    description: 'The caller’s own credential unless `scope` says `workspace`. Succeeds without a connection, too.',
    request: { params: connectorParams, query: z.object({ scope: grantScopeSchema.optional() }) },
    responses: { 200: changedResponse },
  }).handle(async (c) => {
    const caller = callerOf(c);
    const { connector } = await directory.get(caller, c.req.valid('param').name);
    if (connector.auth.type === 'none') throw createError('bad_request', `${connector.title} needs no connection.`);
    // The scope must not depend on what is connected: a repeated request would delete the workspace's credential.
    await grants.remove(caller, connector, c.req.valid('query').scope ?? defaultScope(connector));
    return c.json(await changed(deps, caller, connector.name), 200);
  });
}
