import { isConnectorSetting } from '@berth/agent-connectors';
import { type AgentApp, type RouteGuard, routesOf, type Tool, type User } from '@berth/agent-core';
import type { AgentStores } from '@berth/agent-store';
import {
  type OwnTool,
  ownToolsSchema,
  putToolModeSchema,
  toolModesSchema,
  toolNameSchema,
} from '@berth/contract/agent';
import { jsonBody, jsonResponse } from '@berth/http';
import { z } from '@hono/zod-openapi';
import { chosenMode, decideTool, type ToolChoices } from '../approvals/decide-tool.ts';
import type { LoopOptions } from '../loop/loop-options.ts';

const params = z.object({ tool: toolNameSchema });
const okSchema = z.object({ ok: z.literal(true) });

/** Dependencies of {@link registerToolSettingRoutes}. */
export interface ToolSettingRouteDeps extends RouteGuard {
  readonly stores: Pick<AgentStores, 'settings'>;
  /** Has no tools for an agent with a custom handler, whose tools aren't known here. */
  readonly ownTools: OwnToolsOptions;
}

/** Registers the routes under `/tools`, which hold a person's mode for each tool. Source: docs/contract/agent-api.md §9. */
export function registerToolSettingRoutes(app: AgentApp, deps: ToolSettingRouteDeps): void {
  const route = routesOf(app, deps, 'Tool settings');
  const { settings } = deps.stores;
  route('GET /tools', 'listToolModes', {
    access: 'user',
    summary: "List the caller's tool settings",
    responses: {
      200: jsonResponse(toolModesSchema, 'Only tools with a setting; tools of connectors have a separate list'),
    },
  }).handle(async (c) => {
    const modes = Object.entries(await settings.toolModes(c.get('owner')));
    return c.json(Object.fromEntries(modes.filter(([key]) => !isConnectorSetting(key))), 200);
  });

  route('GET /tools/offered', 'listOwnTools', {
    access: 'user',
    summary: "List the agent's tools and their modes",
    responses: {
      200: jsonResponse(
        ownToolsSchema,
        "In the agent's order; empty for an agent with a custom handler. Tools of connectors have a separate list",
      ),
    },
  }).handle(async (c) => {
    const owner = c.get('owner');
    const [modes, definitions] = await Promise.all([settings.toolModes(owner), settings.toolDefinitions(owner)]);
    return c.json(await listOwnTools(deps.ownTools, c.get('user')!, { modes, definitions }), 200);
  });

  route('PUT /tools/{tool}', 'setToolMode', {
    access: 'user',
    summary: 'Set whether a tool runs, asks for approval, or is never offered',
    request: { params, body: jsonBody(putToolModeSchema) },
    responses: {
      200: jsonResponse(putToolModeSchema.extend({ ok: z.literal(true) }), 'The mode applies from the next call'),
    },
  }).handle(async (c) => {
    const { mode } = c.req.valid('json');
    await settings.setToolMode(c.get('owner'), c.req.valid('param').tool, mode);
    return c.json({ ok: true as const, mode }, 200);
  });

  route('DELETE /tools/{tool}', 'clearToolMode', {
    access: 'user',
    summary: 'Reset a tool to its default',
    request: { params },
    responses: { 200: jsonResponse(okSchema, 'Reset, or had no setting') },
  }).handle(async (c) => {
    await settings.clearToolMode(c.get('owner'), c.req.valid('param').tool);
    return c.json({ ok: true as const }, 200);
  });
}

/** The loop options that determine which tools an agent offers. */
type OwnToolsOptions = Pick<LoopOptions, 'tools' | 'isToolAllowed'>;

/** Returns the tools and those that their calls may run in turn, each name once: a person's choice applies to the name. */
function withInner(tools: readonly Tool[]): readonly Tool[] {
  const byName = new Map<string, Tool>();
  const add = (tool: Tool) => {
    if (byName.has(tool.name)) return;
    byName.set(tool.name, tool);
    tool.tools?.forEach(add);
  };
  tools.forEach(add);
  return [...byName.values()];
}

/** Returns the agent's own tools with the user's settings. Leaves out tools that the user isn't allowed to use. */
async function listOwnTools(
  { tools = [], isToolAllowed }: OwnToolsOptions,
  user: User,
  choices: ToolChoices,
): Promise<OwnTool[]> {
  const rows: OwnTool[] = [];
  for (const tool of withInner(tools)) {
    if (isToolAllowed && (await isToolAllowed(tool, user)) === false) continue;
    const { name, description, risk } = tool;
    const mode = chosenMode(tool, choices);
    const byDefault = decideTool({ isSwitchedOn: true, mode: undefined, auto: true, risk });
    rows.push({
      name,
      description,
      risk,
      is_chosen: mode !== undefined,
      mode: mode ?? (byDefault === 'ask' ? 'ask' : 'allow'),
      is_available: (await tool.unavailable?.()) === undefined,
    });
  }
  return rows;
}
