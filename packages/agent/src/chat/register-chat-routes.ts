import type { AgentApp } from '../http/agent-app.ts';
import type { AgentDeps } from '../http/agent-deps.ts';
import { registerChat } from './routes/chat.ts';
import { registerStop } from './routes/stop.ts';
import { registerStream } from './routes/stream.ts';
import { registerTranscribe } from './routes/transcribe.ts';

/** Turns and the runs they are: for everybody when the agent has no `auth`, as long as they live. */
export function registerChatRoutes(app: AgentApp, deps: AgentDeps): void {
  registerChat(app, deps);
  registerStop(app, deps);
  registerStream(app, deps);
  registerTranscribe(app, deps);
}
