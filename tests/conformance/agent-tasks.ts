import { fromSection } from './requirement.ts';

/** Section 11 of the agent's page: background tasks, webhooks and the schedule. */
export const AGENT_TASKS = fromSection('agent-api §11', {
  'task.own': 'GET /tasks, GET /tasks/{id} and POST /tasks/{id}/cancel see the caller’s own tasks; others are 404.',
  'task.row': 'A row shows status, attempt, progress, result and the error’s reference, and never the input.',
  'task.once-more': 'A task whose attempt failed, or whose instance ended, runs again.',
  'task.one-instance': 'A task runs on one instance at a time.',
  'task.busy': 'An instance with a task that runs, is due or is due within a minute is busy.',
  'webhook.accepted': 'A verified event is answered with 202 and its task, and handled afterwards.',
  'webhook.duplicate': 'An event with a known key is answered alike and not handled again.',
  'webhook.refused': 'A sender that is not verified gets 401, a payload that does not match 422, a large one 413.',
  'cron.task': 'POST /cron with the token runs one task for each scheduled time, and answers how it ended.',
  'cron.token': 'POST /cron without the token is 403.',
});
