import { type AgentApp, routesOf } from '@berth/agent-core';
import { taskSchema, taskStatusSchema } from '@berth/contract/agent';
import { jsonResponse } from '@berth/http';
import { z } from '@hono/zod-openapi';
import { type TaskRouteDeps, toTaskRow } from './task-route.ts';

const MAX_PAGE = 1_000;

/** `GET /tasks`. Source: docs/contract/agent-api.md §11. */
export function registerListTasks(app: AgentApp, deps: TaskRouteDeps): void {
  const route = routesOf(app, deps, 'Tasks');
  route('GET /tasks', 'listTasks', {
    access: 'user',
    summary: "List the caller's background tasks, newest first",
    description: 'If there are more, `Link: <…>; rel="next"` is the next cursor.',
    request: {
      query: z.object({
        name: z.string().max(128).optional(),
        status: taskStatusSchema.optional(),
        limit: z.coerce.number().int().min(1).max(MAX_PAGE).default(100),
        cursor: z.string().max(64).optional(),
      }),
    },
    responses: { 200: jsonResponse(z.array(taskSchema), 'A page of tasks') },
  }).handle(async (c) => {
    const { name, status, limit, cursor } = c.req.valid('query');
    const stored = await deps.taskStore.list(c.get('owner'), {
      ...(name !== undefined && { name }),
      ...(status !== undefined && { status }),
      ...(cursor !== undefined && { afterId: cursor }),
      // One extra row shows whether there is a next page.
      limit: limit + 1,
    });
    const page = stored.slice(0, limit);
    const last = page.at(-1);
    if (last && stored.length > limit) {
      const filters = { ...(name !== undefined && { name }), ...(status !== undefined && { status }) };
      const next = new URLSearchParams({ limit: String(limit), cursor: last.id, ...filters });
      c.header('Link', `</tasks?${next}>; rel="next"`);
    }
    return c.json(page.map(toTaskRow), 200);
  });
}
