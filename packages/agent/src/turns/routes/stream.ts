import { type AgentApp, routesOf } from '@berth/agent-core';
import { ANONYMOUS } from '@berth/agent-store';
import { chatIdSchema } from '@berth/contract/agent';
import { z } from '@hono/zod-openapi';
import { parseFrameCursor } from '../frame-cursor.ts';
import { frameStream } from '../frame-stream.ts';
import { noRunError, runResponses, type TurnRouteDeps } from './turn-route.ts';

/** `GET /chats/{id}/stream` [+]. Source: docs/contract/agent-api.md §2, "Runs". */
export function registerStream(app: AgentApp, deps: TurnRouteDeps): void {
  const route = routesOf(app, deps, 'Chat');
  route('GET /chats/{id}/stream', 'followRun', {
    access: 'turn',
    summary: 'Replay and follow the last run of a chat',
    description:
      'Replays its frames and follows it, from any instance. `Last-Event-ID`, which overrides `after`, is the id of the ' +
      'last frame the reader has. Without one, of another run than the last, or of a frame that was lost with its process, the ' +
      'reading begins at the first frame.',
    request: {
      params: z.object({ id: chatIdSchema }),
      query: z.object({ after: z.string().optional().openapi({ example: 'run_01j9:42' }) }),
      headers: z.object({ 'last-event-id': z.string().optional() }),
    },
    responses: { 200: runResponses.frames[200], ...runResponses.noRun },
  }).handle(async (c) => {
    const lastEventId = c.req.valid('header')['last-event-id'];
    const cursor =
      lastEventId === undefined
        ? parseFrameCursor(c.req.valid('query').after ?? '', 'query', 'after')
        : parseFrameCursor(lastEventId, 'header', 'last-event-id');
    const { id } = c.req.valid('param');
    const owner = c.get('owner');
    // Frames outlive their run for a while, and so a chat that was put into the trash meanwhile.
    const isThere = owner === ANONYMOUS || (await deps.stores.chats.find(owner, id)) !== undefined;
    const reader = isThere ? await deps.runs.follow(owner, id, cursor) : undefined;
    if (!reader) throw noRunError('No run to read. GET /chats/{id} has the complete chat.');
    if (c.req.method === 'HEAD') {
      // No one will read it, or close it.
      reader.close();
      return c.body(null, 200, { 'Content-Type': 'text/event-stream' });
    }
    const afterSeq = cursor?.runId === reader.runId ? cursor.seq : 0;
    return frameStream(reader, { clock: deps.clock, logger: c.get('logger'), afterSeq });
  });
}
