import type { AgentApp } from '../http/agent-app.ts';
import type { AgentDeps } from '../http/agent-deps.ts';
import { completionErrors } from './completion-errors.ts';
import { registerCompletions } from './routes/completions.ts';

/** What clients of OpenAI's API can call. */
export function registerCompletionRoutes(app: AgentApp, deps: AgentDeps): void {
  app.use('/chat/completions', completionErrors());
  registerCompletions(app, deps);
}
