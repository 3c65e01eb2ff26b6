import type { Outbound, RouteGuard } from '@berth/agent-core';
import type { AgentStores } from '@berth/agent-store';
import { connectorChangedSchema } from '@berth/contract/agent';
import { jsonResponse } from '@berth/http';
import { z } from '@hono/zod-openapi';
import type { ConnectorCaller } from '../../connector/caller.ts';
import type { ConnectorDirectory } from '../../connector/connector-directory.ts';
import type { Grants } from '../../connector/grants.ts';
import { toConnectorRow } from '../to-connector-row.ts';

/** What the routes of the directory need. */
export interface DirectoryRouteDeps extends RouteGuard {
  readonly directory: ConnectorDirectory;
  readonly grants: Grants;
  readonly stores: Pick<AgentStores, 'connectorSwitches' | 'settings'>;
  readonly outbound: Outbound;
}

export const CONNECTOR_TAGS = ['Connectors'];

/** What isn't declared is not found; so the name may be anything. */
export const connectorParams = z.object({ name: z.string().openapi({ example: 'github' }) });

export const changedResponse = jsonResponse(connectorChangedSchema, 'The connector as it is now');

/** The answer to a change. */
export async function changed(
  { directory }: Pick<DirectoryRouteDeps, 'directory'>,
  caller: ConnectorCaller,
  name: string,
) {
  return { ok: true as const, ...toConnectorRow(await directory.get(caller, name)) };
}
