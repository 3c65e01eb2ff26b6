import type { AgentApp } from '@berth/agent-core';
import { CRON, type TaskDefinitions } from '../task-definitions.ts';
import { registerCancelTask } from './cancel-task.ts';
import { registerGetTask } from './get-task.ts';
import { registerListTasks } from './list-tasks.ts';
import { type CronRouteDeps, registerCron } from './receive-cron.ts';
import { registerWebhooks, type WebhookRouteDeps } from './receive-webhook.ts';
import type { TaskRouteDeps } from './task-route.ts';

/** Dependencies of the routes of tasks, webhooks and the schedule. */
export interface TaskRoutesDeps extends TaskRouteDeps, CronRouteDeps, WebhookRouteDeps {
  readonly definitions: TaskDefinitions;
  readonly tasks: TaskRouteDeps['tasks'] & CronRouteDeps['tasks'];
  readonly taskStore: TaskRouteDeps['taskStore'];
}

/** Registers the routes that the definitions need; without definitions none. Source: docs/contract/agent-api.md §11. */
export function registerTaskRoutes(app: AgentApp, deps: TaskRoutesDeps): void {
  const { definitions, authenticator } = deps;
  if (definitions.names.length === 0) return;
  if (definitions.hasWebhooks) registerWebhooks(app, deps);
  if (definitions.find(CRON)) registerCron(app, deps);
  if (!authenticator) return;
  registerListTasks(app, deps);
  registerGetTask(app, deps);
  registerCancelTask(app, deps);
}
