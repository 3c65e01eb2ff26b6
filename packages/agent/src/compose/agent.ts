import type { AgentEnv } from '@berth/agent-core';
import type { Hono, MiddlewareHandler } from 'hono';

/** A defined agent. Nothing runs and nothing is opened before its first request, or `listen`. */
export interface Agent {
  /** Answers a request of the web standard, e.g. inside another server. */
  fetch(request: Request, env?: unknown): Promise<Response>;
  /** Serves on `port` (`PORT`, else 8000) of `host` (`HOST`, else all addresses) until `close` or SIGTERM. */
  listen(options?: ListenOptions): Promise<Listening>;
  /** The owner's own routes: matched after the contract's and before static files. */
  readonly routes: Hono<AgentEnv>;
  /** For the owner's own routes: lets nobody pass without a good token, and sets `user` and `owner` in the context. */
  readonly requireUser: MiddlewareHandler<AgentEnv>;
  /** Ends the listener, lets turns and transfers end for a while, then interrupts and stores them. Twice does nothing more. */
  close(options?: CloseOptions): Promise<void>;
}

export interface ListenOptions {
  /** 0 for one that is free. */
  readonly port?: number;
  readonly host?: string;
}

export interface CloseOptions {
  /** How long turns and transfers may go on; 8 s by default. */
  readonly drainMs?: number;
}

export interface Listening {
  readonly port: number;
  /** `http://…` without a slash at its end. */
  readonly url: string;
}
