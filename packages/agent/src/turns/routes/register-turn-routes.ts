import type { AgentApp } from '@berth/agent-core';
import { registerStartTurn } from './start.ts';
import { registerStop } from './stop.ts';
import { registerStream } from './stream.ts';
import { registerTranscribe } from './transcribe.ts';
import type { TurnRouteDeps } from './turn-route.ts';

/** Turns and the runs they are: for everybody when the agent has no `auth`, as long as they live. */
export function registerTurnRoutes(app: AgentApp, deps: TurnRouteDeps): void {
  registerStartTurn(app, deps);
  registerStop(app, deps);
  registerStream(app, deps);
  registerTranscribe(app, deps);
}
