import type { ConnectorTurns } from '@berth/agent-connectors';
import type { Handler, HandlerContext, ToolServices } from '@berth/agent-core';
import type { ApprovalStore, SettingStore } from '@berth/agent-store';
import type { Clock } from '@berth/kit';

/** Dependencies of the loop. */
export interface LoopDeps {
  readonly settings: SettingStore;
  readonly approvals: ApprovalStore;
  readonly clock: Clock;
  /** How long a call waits for approval; 24 hours by default. */
  readonly approvalMs?: number | undefined;
  /** Undefined for an agent without connectors. */
  readonly connectors?: ConnectorTurns | undefined;
  /** Returns the caller's files and app data. */
  services(context: HandlerContext): ToolServices;
}

/** A symbol of the registry, so that a context is understood by a second copy of this package too. */
const DEPS = Symbol.for('@berth/agent/loop-deps');

interface DeepContext extends HandlerContext {
  readonly [DEPS]?: LoopDeps;
}

/** Returns the handler with `deps` inside each context that it receives, also inside copies of the context. */
export function withLoopDeps(handler: Handler, deps: LoopDeps): Handler {
  return (context) => {
    const deep: DeepContext = { ...context, [DEPS]: deps };
    return handler(deep);
  };
}

/** Returns the dependencies in a context. @throws TypeError for a context that no agent made. */
export function loopDepsOf(context: HandlerContext): LoopDeps {
  const deps = (context as DeepContext)[DEPS];
  if (deps) return deps;
  throw new TypeError('loop() needs the context of a turn: pass the context that your handler received, or a copy.');
}
