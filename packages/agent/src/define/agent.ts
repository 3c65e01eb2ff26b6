import type { Hono } from 'hono';
import type { AgentEnv } from '../http/agent-app.ts';

/** A defined agent. Nothing runs and nothing is opened before its first request, or `listen`. */
export interface Agent {
  /** Answers a request of the web standard, e.g. inside another server. */
  fetch(request: Request, env?: unknown): Promise<Response>;
  /** Serves on `port` (`PORT`, else 8000) of `host` (`HOST`, else all addresses) until `close` or SIGTERM. */
  listen(options?: ListenOptions): Promise<Listening>;
  /** The owner's own routes: matched after the contract's and before static files. */
  readonly routes: Hono<AgentEnv>;
  /** Ends the listener, lets turns end for a while, then interrupts and stores them. Twice does nothing more. */
  close(): Promise<void>;
}

export interface ListenOptions {
  /** 0 for one that is free. */
  readonly port?: number;
  readonly host?: string;
}

export interface Listening {
  readonly port: number;
  /** `http://…` without a slash at its end. */
  readonly url: string;
}
