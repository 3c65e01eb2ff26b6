import { type AgentApp, routesOf } from '@berth/agent-core';
import { connectorSchema } from '@berth/contract/agent';
import { jsonResponse } from '@berth/http';
import { z } from '@hono/zod-openapi';
import { callerOf } from '../../connector/caller.ts';
import { toConnectorRow } from '../to-connector-row.ts';
import type { DirectoryRouteDeps } from './connector-route.ts';

/** Registers `GET /connectors`. */
export function registerListConnectors(app: AgentApp, deps: DirectoryRouteDeps): void {
  const route = routesOf(app, deps, 'Connectors');
  route('GET /connectors', 'listConnectors', {
    access: 'user',
    summary: 'List connectors and their connections',
    responses: { 200: jsonResponse(z.array(connectorSchema), 'In declaration order') },
  }).handle(async (c) => c.json((await deps.directory.list(callerOf(c))).map(toConnectorRow), 200));
}
