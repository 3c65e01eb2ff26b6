import { type AgentApp, defineRoute } from '@berth/agent-core';
import { createError } from '@berth/contract';
import { grantScopeSchema } from '@berth/contract/agent';
import { z } from '@hono/zod-openapi';
import { callerOf } from '../../connector/caller-of.ts';
import { defaultScope } from '../../credentials/slots-of.ts';
import {
  CONNECTOR_TAGS,
  changed,
  changedResponse,
  connectorParams,
  type DirectoryRouteDeps,
} from './connector-route.ts';

/** Registers `DELETE /connectors/{name}`. */
export function registerDeleteConnector(app: AgentApp, deps: DirectoryRouteDeps): void {
  const { directory, grants } = deps;
  app.openapi(
    defineRoute({ access: 'user', errors: ['bad_request', 'forbidden', 'not_found'] }, deps, {
      method: 'delete',
      path: '/connectors/{name}',
      operationId: 'disconnectConnector',
      tags: CONNECTOR_TAGS,
      summary: 'Disconnect: forget the credential',
      description: 'The caller’s own one unless `scope` says `workspace`. Also when there was none.',
      request: { params: connectorParams, query: z.object({ scope: grantScopeSchema.optional() }) },
      responses: { 200: changedResponse },
    }),
    async (c) => {
      const caller = callerOf(c);
      const { connector } = await directory.get(caller, c.req.valid('param').name);
      if (connector.auth.type === 'none') throw createError('bad_request', `${connector.title} needs no connection.`);
      // The scope must not depend on what is connected: a repeated request would delete the workspace's credential.
      await grants.remove(caller, connector, c.req.valid('query').scope ?? defaultScope(connector));
      return c.json(await changed(deps, caller, connector.name), 200);
    },
  );
}
