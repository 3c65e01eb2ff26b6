import type { AgentEnv } from '@berth/agent-core';
import type { Hono, MiddlewareHandler } from 'hono';
import type { z } from 'zod';
import type { DefinedTask, TaskHandler, TaskOptions, Tasks } from '../tasks/task-types.ts';
import type { OnEvent } from '../tasks/webhook-types.ts';
import type { AgentRun, RunOptions } from '../turns/agent-run.ts';

/** A defined agent. It opens nothing before `listen` or its first request. */
export interface Agent {
  /** Answers a web-standard request, e.g. inside another server. */
  fetch(request: Request, env?: unknown): Promise<Response>;
  /**
   * Starts a turn in a person's name, as `POST /chat` does: with the same chats, tools, approvals, costs and limits. Handlers,
   * tools, tests and other agents call it, before or without `listen` too. The message is durable when this resolves.
   * @throws BerthError `conflict` while the chat has a live run, `invalid` naming a wrong option, `not_found` for a workspace
   * that the person does not belong to, `unavailable` while the agent shuts down.
   */
  run<Output = unknown>(options: RunOptions<Output>): Promise<AgentRun<Output>>;
  /**
   * Defines a background task: work that is stored before it starts, repeated when it fails, and goes on after restarts. It runs at
   * least once, on any instance of the agent. Define tasks before `listen`.
   * @throws RangeError for a wrong name or option; BerthError `conflict` for a name that is taken, or once the agent is open.
   */
  task<Input extends z.ZodType = z.ZodUndefined>(
    name: string,
    options: TaskOptions<Input>,
    handler: TaskHandler<z.output<Input>>,
  ): DefinedTask<Input>;
  /** Handles events from outside as tasks: webhooks of other systems, and the deployment's schedule. */
  readonly on: OnEvent;
  /** The background tasks. The agent opens at the first call. */
  readonly tasks: Tasks;
  /** Serves on `port` (`PORT`, else 8000) of `host` (`HOST`, else all addresses) until `close` or SIGTERM. */
  listen(options?: ListenOptions): Promise<Listening>;
  /** The owner's own routes, matched after the contract's and before static files. */
  readonly routes: Hono<AgentEnv>;
  /** Middleware for the owner's own routes: requires a valid token, and sets `user` and `owner` in the context. */
  readonly requireUser: MiddlewareHandler<AgentEnv>;
  /**
   * Keeps this instance while `work` is pending, as long as the platform allows (an hour after the last request by default). Without
   * it, an instance without requests is suspended, and stopped later. Turns need no call. A rejection is logged.
   */
  waitUntil(work: Promise<unknown>): void;
  /**
   * Stops listening, lets turns, transfers and the work of `waitUntil` finish for a while, then interrupts and stores turns. A second
   * call does nothing.
   */
  close(options?: CloseOptions): Promise<void>;
}

export interface ListenOptions {
  /** 0 for any free port. */
  readonly port?: number;
  readonly host?: string;
}

export interface CloseOptions {
  /** How long turns, transfers and the work of `waitUntil` may continue; 8 s by default. */
  readonly drainMs?: number;
}

export interface Listening {
  readonly port: number;
  /** `http://…`, without a trailing slash. */
  readonly url: string;
}
