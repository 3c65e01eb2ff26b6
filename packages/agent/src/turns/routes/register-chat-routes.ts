import type { AgentApp } from '@berth/agent-core';
import { registerChat } from './chat.ts';
import { registerStop } from './stop.ts';
import { registerStream } from './stream.ts';
import { registerTranscribe } from './transcribe.ts';
import type { TurnRouteDeps } from './turn-route.ts';

/** Turns and the runs they are: for everybody when the agent has no `auth`, as long as they live. */
export function registerChatRoutes(app: AgentApp, deps: TurnRouteDeps): void {
  registerChat(app, deps);
  registerStop(app, deps);
  registerStream(app, deps);
  registerTranscribe(app, deps);
}
