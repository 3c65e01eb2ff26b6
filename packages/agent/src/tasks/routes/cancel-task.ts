import { type AgentApp, routesOf } from '@berth/agent-core';
import { taskSchema } from '@berth/contract/agent';
import { jsonResponse } from '@berth/http';
import { type TaskRouteDeps, taskParams, toTaskRow } from './task-route.ts';

/** `POST /tasks/{id}/cancel`. Source: docs/contract/agent-api.md §11. */
export function registerCancelTask(app: AgentApp, deps: TaskRouteDeps): void {
  const route = routesOf(app, deps, 'Tasks');
  route('POST /tasks/{id}/cancel', 'cancelTask', {
    access: 'user',
    errors: ['not_found', 'conflict'],
    summary: 'Cancel a background task',
    description:
      'A pending task is canceled at once. A running one is signaled to stop on its instance and becomes `cancelled` when it has stopped; until then `cancel_requested` is true. 409 when it has ended.',
    request: { params: taskParams },
    responses: { 202: jsonResponse(taskSchema, 'The task is canceled, or is being canceled') },
  }).handle(async (c) => {
    const task = await deps.tasks.cancelOf(c.get('owner'), c.req.valid('param').id);
    return c.json(toTaskRow(task), 202);
  });
}
