import type { AgentApp } from '@berth/agent-core';
import { type ContinueRouteDeps, registerContinue } from './continue.ts';
import { registerStartTurn } from './start.ts';
import { registerStop } from './stop.ts';
import { registerStream } from './stream.ts';
import { registerTranscribe } from './transcribe.ts';

/** Registers the routes of turns: starting, continuing, stopping and following them, and transcription. */
export function registerTurnRoutes(app: AgentApp, deps: ContinueRouteDeps): void {
  registerStartTurn(app, deps);
  // Without sign-in nothing is stored that could continue.
  if (deps.authenticator) registerContinue(app, deps);
  registerStop(app, deps);
  registerStream(app, deps);
  registerTranscribe(app, deps);
}
