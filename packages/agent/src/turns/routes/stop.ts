import { type AgentApp, routesOf } from '@berth/agent-core';
import { chatIdSchema, stoppingSchema } from '@berth/contract/agent';
import { jsonResponse } from '@berth/http';
import { z } from '@hono/zod-openapi';
import { noRunError, runResponses, type TurnRouteDeps } from './turn-route.ts';

/** `POST /chats/{id}/stop`. Source: docs/contract/agent-api.md §2, "Runs". */
export function registerStop(app: AgentApp, deps: TurnRouteDeps): void {
  const route = routesOf(app, deps, 'Chat');
  route('POST /chats/{id}/stop', 'stopRun', {
    access: 'turn',
    summary: 'Stop the live run of a chat',
    description: 'On any instance. The partial answer is kept, and the model is told about the stop in the next turn.',
    request: { params: z.object({ id: chatIdSchema }) },
    responses: { 202: jsonResponse(stoppingSchema, 'The run is being stopped'), ...runResponses.noRun },
  }).handle(async (c) => {
    const isLive = await deps.runs.stop(c.get('owner'), c.req.valid('param').id);
    if (!isLive) throw noRunError('The chat has no live run.');
    return c.json({ stopping: true as const }, 202);
  });
}
