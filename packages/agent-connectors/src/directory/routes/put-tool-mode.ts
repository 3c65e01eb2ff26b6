import { type AgentApp, routesOf } from '@berth/agent-core';
import { createError } from '@berth/contract';
import { connectorToolNameSchema, putToolModeSchema, TOOL_MODES, toolModeSchema } from '@berth/contract/agent';
import { jsonBody, jsonResponse } from '@berth/http';
import { z } from '@hono/zod-openapi';
import { callerOf } from '../../connector/caller.ts';
import { toolSettingKey } from '../../connector/tool-setting-key.ts';
import { connectorParams, type DirectoryRouteDeps } from './connector-route.ts';

/**
 * Accepts any mode: the handler answers 400 to a bad one, where validation would answer 422. Source:
 * docs/contract/agent-api.md §8.
 */
const bodySchema = z.object({ mode: z.unknown().openapi({ type: 'string', enum: [...TOOL_MODES] }) });

/** Registers `PUT /connectors/{name}/tools/{tool}`. */
export function registerPutToolMode(app: AgentApp, deps: DirectoryRouteDeps): void {
  const route = routesOf(app, deps, 'Connectors');
  const { directory } = deps;
  const { settings } = deps.stores;
  route('PUT /connectors/{name}/tools/{tool}', 'setConnectorToolMode', {
    access: 'user',
    errors: ['bad_request', 'not_found'],
    summary: "Set whether a connector's tool runs, asks for approval, or is never offered",
    description:
      'The tool `fetch` stands for `/connectors/{name}/fetch/`, which refuses with 403 while it is `ask` or `never`.',
    request: { params: connectorParams.extend({ tool: connectorToolNameSchema }), body: jsonBody(bodySchema) },
    responses: {
      200: jsonResponse(putToolModeSchema.extend({ ok: z.literal(true) }), 'The mode applies from the next call'),
    },
  }).handle(async (c) => {
    const { name, tool } = c.req.valid('param');
    const { connector } = await directory.get(callerOf(c), name);
    const mode = toolModeSchema.safeParse(c.req.valid('json').mode);
    if (!mode.success) throw createError('bad_request', `mode must be one of ${TOOL_MODES.join(', ')}.`);
    await settings.setToolMode(c.get('owner'), toolSettingKey(connector.name, tool), mode.data);
    return c.json({ ok: true as const, mode: mode.data }, 200);
  });
}
