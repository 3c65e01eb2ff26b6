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
    description: 'Whichever instance produces it. What there is of the answer is kept, and the next turn is told.',
    request: { params: z.object({ id: chatIdSchema }) },
    responses: { 202: jsonResponse(stoppingSchema, 'It is being stopped'), ...runResponses.noRun },
  }).handle(async (c) => {
    const isLive = await deps.runs.stop(c.get('owner'), c.req.valid('param').id);
    if (!isLive) throw noRunError('Nothing runs in this chat.');
    return c.json({ stopping: true as const }, 202);
  });
}
