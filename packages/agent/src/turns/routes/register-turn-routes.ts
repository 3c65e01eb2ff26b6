import type { AgentApp } from '@berth/agent-core';
import { registerStartTurn } from './start.ts';
import { registerStop } from './stop.ts';
import { registerStream } from './stream.ts';
import { registerTranscribe } from './transcribe.ts';
import type { TurnRouteDeps } from './turn-route.ts';

/** Registers the routes of turns: starting, stopping and following them, and transcription. */
export function registerTurnRoutes(app: AgentApp, deps: TurnRouteDeps): void {
  registerStartTurn(app, deps);
  registerStop(app, deps);
  registerStream(app, deps);
  registerTranscribe(app, deps);
}
