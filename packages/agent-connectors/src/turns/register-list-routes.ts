import { type AgentApp, type RouteGuard, routesOf, safeText } from '@berth/agent-core';
import type { AgentStores } from '@berth/agent-store';
import { createError } from '@berth/contract';
import { connectorPromptSchema, connectorToolSchema, connectorToolsQuerySchema } from '@berth/contract/agent';
import { jsonResponse } from '@berth/http';
import { z } from '@hono/zod-openapi';
import { type ConnectorCaller, callerOf } from '../connector/caller.ts';
import { NotConnected } from '../connector/not-connected.ts';
import type { ConnectorDirectory, ConnectorState } from '../directory/create-connector-directory.ts';
import { connectorParams } from '../directory/routes/connector-route.ts';
import type { ConnectorLists } from '../mcp/create-connector-lists.ts';
import { McpError } from '../mcp/mcp-error.ts';
import type { ServerLists } from '../mcp/read-lists.ts';
import type { OpenConnectorTurns } from './create-connector-turns.ts';

const ERRORS = ['forbidden', 'not_found', 'conflict', 'unavailable'] as const;

/** Dependencies of {@link registerListRoutes}. */
export interface ListRouteDeps extends RouteGuard {
  readonly directory: ConnectorDirectory;
  readonly lists: ConnectorLists;
  readonly turns: OpenConnectorTurns;
  readonly stores: Pick<AgentStores, 'settings'>;
}

/** Registers the routes that list a connector's tools and prompts. Source: docs/contract/agent-api.md §8. */
export function registerListRoutes(app: AgentApp, deps: ListRouteDeps): void {
  registerTools(app, deps);
  registerPrompts(app, deps);
}

/** Registers `GET /connectors/{name}/tools`. */
function registerTools(app: AgentApp, deps: ListRouteDeps): void {
  const route = routesOf(app, deps, 'Connectors');
  const { directory, turns } = deps;
  const { settings } = deps.stores;
  route('GET /connectors/{name}/tools', 'listConnectorTools', {
    access: 'user',
    errors: [...ERRORS],
    summary: "List a connector's tools and their modes",
    description: 'Tools of MCP servers are cached as long as the server allows; 409 if not connected.',
    request: { params: connectorParams, query: connectorToolsQuerySchema },
    responses: { 200: jsonResponse(z.array(connectorToolSchema), "The owner's tools first") },
  }).handle(async (c) => {
    const caller = callerOf(c);
    const state = await directory.get(caller, c.req.valid('param').name);
    const { fresh: isFresh = false } = c.req.valid('query');
    const tools = turns.toolsOf(state, await readLists(deps, caller, state, isFresh));
    const modes = await settings.toolModes(caller.owner);
    return c.json(
      tools.map(({ ownName, title, description, risk, settingKey }) => ({
        name: ownName,
        title,
        description,
        writes: risk !== 'read',
        mode: (Object.hasOwn(modes, settingKey) ? modes[settingKey] : undefined) ?? defaultMode(risk),
      })),
      200,
    );
  });
}

/** Registers `GET /connectors/{name}/prompts`. */
function registerPrompts(app: AgentApp, deps: ListRouteDeps): void {
  const route = routesOf(app, deps, 'Connectors');
  route('GET /connectors/{name}/prompts', 'listConnectorPrompts', {
    access: 'user',
    errors: [...ERRORS],
    summary: "A connector's prompts",
    description: 'A message that begins with `/<connector>:<prompt>` uses one.',
    request: { params: connectorParams },
    responses: { 200: jsonResponse(z.array(connectorPromptSchema), 'Empty for connectors that are not MCP servers') },
  }).handle(async (c) => {
    const caller = callerOf(c);
    const state = await deps.directory.get(caller, c.req.valid('param').name);
    const { prompts } = (await readLists(deps, caller, state)) ?? { prompts: [] };
    return c.json(
      prompts.map(({ name, title, description }) => ({ name, title, description })),
      200,
    );
  });
}

async function readLists(
  { lists }: ListRouteDeps,
  caller: ConnectorCaller,
  state: ConnectorState,
  isFresh = false,
): Promise<ServerLists | undefined> {
  const { title, server } = state.connector;
  if (!state.isAllowed) throw createError('forbidden', `Your organization does not allow ${title}.`);
  if (!state.isEnabled) throw createError('forbidden', `${title} is disabled in this workspace.`);
  if (!server) return undefined;
  try {
    return await (isFresh ? lists.readAnew(caller, state.connector) : lists.read(caller, state));
  } catch (error) {
    if (error instanceof NotConnected) throw createError('conflict', `${title} is not connected. Connect it first.`);
    if (error instanceof McpError) throw createError('unavailable', safeText(`${title} ${error.message}.`, 500));
    throw error;
  }
}

/**
 * Returns the mode of a tool without a setting, when writes need no approval. Source: docs/contract/agent-api.md §2,
 * "Approvals".
 */
function defaultMode(risk: 'read' | 'write' | 'destructive'): 'allow' | 'ask' {
  return risk === 'destructive' ? 'ask' : 'allow';
}
