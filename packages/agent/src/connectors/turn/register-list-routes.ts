import { createError } from '@berth/contract';
import { connectorPromptSchema, connectorToolSchema } from '@berth/contract/agent';
import { jsonResponse } from '@berth/http';
import { z } from '@hono/zod-openapi';
import type { AgentApp } from '../../http/agent-app.ts';
import type { AgentDeps } from '../../http/agent-deps.ts';
import { defineRoute } from '../../http/define-route.ts';
import { safeText } from '../../tools/safe-text.ts';
import type { AgentConnectors } from '../agent-connectors.ts';
import type { ConnectorCaller } from '../caller.ts';
import { callerOf } from '../caller-of.ts';
import type { ConnectorState } from '../connector-directory.ts';
import { CONNECTOR_TAGS, connectorParams } from '../directory/routes/connector-route.ts';
import { McpError } from '../mcp/mcp-error.ts';
import type { ServerLists } from '../mcp/read-lists.ts';
import { NotConnected } from '../not-connected.ts';

const ERRORS = ['forbidden', 'not_found', 'conflict'] as const;

/** What a connector has: its tools, its prompts. Source: docs/contract/agent-api.md §8. */
export function registerConnectorListRoutes(app: AgentApp, deps: AgentDeps): void {
  const { connectors } = deps;
  if (!connectors) return;
  registerTools(app, deps, connectors);
  registerPrompts(app, deps, connectors);
}

/** `GET /connectors/{name}/tools`. */
function registerTools(app: AgentApp, deps: AgentDeps, connectors: AgentConnectors): void {
  const { settings } = deps.stores;
  const route = defineRoute({ access: 'user', errors: [...ERRORS] }, deps, {
    method: 'get',
    path: '/connectors/{name}/tools',
    operationId: 'listConnectorTools',
    tags: CONNECTOR_TAGS,
    summary: "A connector's tools, and how I want each to be treated",
    description: 'Those of a server are as new as it allows; 409 when it has to be connected first.',
    request: { params: connectorParams },
    responses: { 200: jsonResponse(z.array(connectorToolSchema), "The owner's own first") },
  });
  app.openapi(route, async (c) => {
    const caller = callerOf(c);
    const state = await connectors.directory.get(caller, c.req.valid('param').name);
    const tools = connectors.turns.toolsOf(state, await readLists(connectors, caller, state));
    const modes = await settings.toolModes(caller.owner);
    return c.json(
      tools.map(({ ownName, title, description, risk, settingKey }) => ({
        ...{ name: ownName, title, description, writes: risk !== 'read' },
        mode: (Object.hasOwn(modes, settingKey) ? modes[settingKey] : undefined) ?? defaultMode(risk),
      })),
      200,
    );
  });
}

/** `GET /connectors/{name}/prompts`. */
function registerPrompts(app: AgentApp, deps: AgentDeps, connectors: AgentConnectors): void {
  const route = defineRoute({ access: 'user', errors: [...ERRORS] }, deps, {
    method: 'get',
    path: '/connectors/{name}/prompts',
    operationId: 'listConnectorPrompts',
    tags: CONNECTOR_TAGS,
    summary: "A connector's prompts",
    description: 'A message that begins with `/<connector>:<prompt>` uses one.',
    request: { params: connectorParams },
    responses: { 200: jsonResponse(z.array(connectorPromptSchema), 'Empty for what is no MCP server') },
  });
  app.openapi(route, async (c) => {
    const caller = callerOf(c);
    const state = await connectors.directory.get(caller, c.req.valid('param').name);
    const { prompts } = (await readLists(connectors, caller, state)) ?? { prompts: [] };
    return c.json(
      prompts.map(({ name, title, description }) => ({ name, title, description })),
      200,
    );
  });
}

async function readLists(
  { lists }: AgentConnectors,
  caller: ConnectorCaller,
  state: ConnectorState,
): Promise<ServerLists | undefined> {
  const { title, server } = state.connector;
  if (!state.isAllowed) throw createError('forbidden', `Your organisation does not allow ${title}.`);
  if (!state.isEnabled) throw createError('forbidden', `${title} is switched off in this workspace.`);
  if (!server) return undefined;
  try {
    return await lists.read(caller, state);
  } catch (error) {
    if (error instanceof NotConnected) throw createError('conflict', `${title} is not connected: connect it first.`);
    if (error instanceof McpError) throw createError('unavailable', safeText(`${title} ${error.message}.`, 500));
    throw error;
  }
}

/** What happens when nothing was chosen and writes need not ask. Source: docs/contract/agent-api.md §2, "Approvals". */
function defaultMode(risk: 'read' | 'write' | 'destructive'): 'allow' | 'ask' {
  return risk === 'destructive' ? 'ask' : 'allow';
}
