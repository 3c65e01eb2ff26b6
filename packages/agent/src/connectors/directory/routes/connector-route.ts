import { connectorChangedSchema } from '@berth/contract/agent';
import { jsonResponse } from '@berth/http';
import { z } from '@hono/zod-openapi';
import type { AgentConnectors } from '../../agent-connectors.ts';
import type { ConnectorCaller } from '../../caller.ts';
import { toConnectorRow } from '../to-connector-row.ts';

export const CONNECTOR_TAGS = ['Connectors'];

/** What isn't declared is not found; so the name may be anything. */
export const connectorParams = z.object({ name: z.string().openapi({ example: 'github' }) });

export const changedResponse = jsonResponse(connectorChangedSchema, 'The connector as it is now');

/** The answer to a change. */
export async function changed({ directory }: AgentConnectors, caller: ConnectorCaller, name: string) {
  return { ok: true as const, ...toConnectorRow(await directory.get(caller, name)) };
}
