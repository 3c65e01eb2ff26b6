import { type AgentApp, routesOf } from '@berth/agent-core';
import { taskSchema } from '@berth/contract/agent';
import { jsonResponse } from '@berth/http';
import { noTask } from '../create-tasks.ts';
import { type TaskRouteDeps, taskParams, toTaskRow } from './task-route.ts';

/** `GET /tasks/{id}`. Source: docs/contract/agent-api.md §11. */
export function registerGetTask(app: AgentApp, deps: TaskRouteDeps): void {
  const route = routesOf(app, deps, 'Tasks');
  route('GET /tasks/{id}', 'getTask', {
    access: 'user',
    errors: ['not_found'],
    summary: 'Get a background task',
    request: { params: taskParams },
    responses: { 200: jsonResponse(taskSchema, 'The task') },
  }).handle(async (c) => {
    const task = await deps.taskStore.find(c.get('owner'), c.req.valid('param').id);
    if (!task) throw noTask();
    return c.json(toTaskRow(task), 200);
  });
}
