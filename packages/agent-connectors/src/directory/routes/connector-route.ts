import type { Outbound, RouteGuard } from '@berth/agent-core';
import type { AgentStores } from '@berth/agent-store';
import { connectorChangedSchema } from '@berth/contract/agent';
import { jsonResponse } from '@berth/http';
import { z } from '@hono/zod-openapi';
import type { ConnectorCaller } from '../../connector/caller.ts';
import type { Grants } from '../../connector/grants.ts';
import type { ConnectorDirectory } from '../create-connector-directory.ts';
import { toConnectorRow } from '../to-connector-row.ts';

/** Dependencies of the directory's routes. */
export interface DirectoryRouteDeps extends RouteGuard {
  readonly directory: ConnectorDirectory;
  readonly grants: Grants;
  readonly stores: Pick<AgentStores, 'connectorSwitches' | 'settings'>;
  readonly outbound: Outbound;
}

/** Path parameters of connector routes. Any name is accepted: an undeclared one is not found. */
export const connectorParams = z.object({ name: z.string().openapi({ example: 'github' }) });

/** The OpenAPI response of a change. */
export const changedResponse = jsonResponse(connectorChangedSchema, 'The updated connector');

/** Returns the response to a change: the connector's new state. */
export async function changed(
  { directory }: Pick<DirectoryRouteDeps, 'directory'>,
  caller: ConnectorCaller,
  name: string,
) {
  return { ok: true as const, ...toConnectorRow(await directory.get(caller, name)) };
}
