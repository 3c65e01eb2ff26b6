import { once } from 'node:events';
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type AgentEnv, requireUser } from '@berth/agent-core';
import { createError } from '@berth/contract';
import { sendDirectly } from '@berth/http';
import { type Clock, describeError, runInBackground } from '@berth/kit';
import { getRequestListener } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { Hono } from 'hono';
import { createWorkInProgress } from '../busy/work-in-progress.ts';
import { createTaskDefinitions } from '../tasks/task-definitions.ts';
import type { Tasks } from '../tasks/task-types.ts';
import type { Agent, CloseOptions, Listening, ListenOptions } from './agent.ts';
import { type AgentOptions, checkAgentOptions } from './agent-options.ts';
import { type OpenAgent, openAgent } from './open-agent.ts';
import { currentProcess, type ProcessContext } from './process-context.ts';

/** Time for turns to finish after SIGTERM. The platform kills the process 10 s after it, and an interrupted turn takes 1 s to end. */
const DRAIN_MS = 8_000;
/** Least time for responses to be sent after the turns have ended. */
const LAST_WORDS_MS = 500;

/**
 * Defines an agent. Nothing is opened before `listen` or the first request.
 * @throws `invalid` naming the option that is wrong.
 */
export function defineAgent(options: AgentOptions): Agent {
  return createAgent(options, currentProcess());
}

const CLOSED = 'The agent is shutting down. Try again.';

/** A symbol of the registry, so that the packed entry for tests finds it on agents that the main entry defined. */
const REDEFINE = Symbol.for('@berth/agent/redefine');

/** Returns the options of a test from those that the agent was defined with. */
type Change = (defined: AgentOptions) => AgentOptions;

interface RedefinableAgent extends Agent {
  readonly [REDEFINE]: (change: Change, processContext: ProcessContext) => void;
}

/**
 * Gives an agent that is not open other options and another process context, for a test; its routes and tasks stay.
 * @throws `conflict` while it is open; TypeError for an object that `defineAgent` did not return.
 */
export function redefineAgent(agent: Agent, change: Change, processContext: ProcessContext): void {
  const { [REDEFINE]: redefine } = agent as Partial<RedefinableAgent>;
  if (!redefine) throw new TypeError('testAgent() needs an agent of defineAgent(), or its options.');
  redefine(change, processContext);
}

/** As {@link defineAgent}, in another process context; for tests. */
export function createAgent(defined: AgentOptions, definedContext: ProcessContext): Agent {
  checkAgentOptions(defined);
  let options = defined;
  let processContext = definedContext;
  const routes = new Hono<AgentEnv>();
  const definitions = createTaskDefinitions();
  const work = createWorkInProgress(definedContext.logger);
  let opening: Promise<OpenAgent> | undefined;
  let server: Server | undefined;
  let closing: Promise<void> | undefined;
  let forgetSignals = () => {};
  let isInTest = false;
  const open = () => {
    if (closing) throw createError('unavailable', CLOSED);
    // A failed attempt is retried on the next request: the disk or the database may be back.
    definitions.seal();
    opening ??= openAgent(options, processContext, routes, definitions, work).catch((error) => {
      opening = undefined;
      throw error;
    });
    return opening;
  };
  const fetch: Agent['fetch'] = async (request, env) => {
    try {
      const { app } = await open();
      return await app.fetch(request, env as AgentEnv);
    } catch (error) {
      if (!closing) processContext.logger.error({ error: describeError(error) }, 'the agent cannot be opened');
      const detail = closing ? CLOSED : "The agent can't serve requests. See its log.";
      return Response.json({ detail }, { status: 503, headers: { 'Retry-After': '5' } });
    }
  };
  const close = async ({ drainMs = DRAIN_MS }: CloseOptions = {}) => {
    const { clock } = processContext;
    const endsMs = clock.monotonicMs() + drainMs;
    const closingServer = server && closeServer(server, clock);
    const opened = await opening?.catch(() => undefined);
    const drained = clock.setTimer(drainMs, () => work.giveUp());
    await Promise.all([opened?.drain(drainMs), work.settled()]);
    drained.cancel();
    const leftMs = drainMs === 0 ? 0 : Math.max(endsMs - clock.monotonicMs(), LAST_WORDS_MS);
    await closingServer?.cutAfter(leftMs);
    await opened?.close();
    forgetSignals();
    isInTest = false;
  };
  const tasks: Tasks = {
    enqueue: async (...parameters) => (await open()).tasks.enqueue(...parameters),
    list: async (...parameters) => (await open()).tasks.list(...parameters),
    get: async (id) => (await open()).tasks.get(id),
    cancel: async (id) => (await open()).tasks.cancel(id),
    retry: async (id) => (await open()).tasks.retry(id),
  };
  const agent: RedefinableAgent = {
    fetch,
    routes,
    run: async (options) => (await open()).run(options),
    task(name, options, handler) {
      definitions.task(name, options, handler);
      return { name, enqueue: (input, enqueueOptions) => tasks.enqueue(name, input, enqueueOptions) };
    },
    on: definitions.on,
    tasks,
    waitUntil: work.waitUntil,
    async requireUser(c, next) {
      return requireUser((await open()).guard)(c, next);
    },
    async listen(listen: ListenOptions = {}): Promise<Listening> {
      const { environment, logger } = processContext;
      const { port = portOf(environment), host = environment['HOST'] } = listen;
      if (server) throw createError('conflict', 'The agent is already listening.');
      await open();
      // Uploads and turns may take any time.
      const listening = createServer({ requestTimeout: 0 });
      listening.on('request', requestListener(fetch));
      await listenOn(listening, port, host);
      server = listening;
      forgetSignals = processContext.onEndSignal(() => runInBackground('close the agent', agent.close(), logger));
      const address = listening.address() as AddressInfo;
      const url = `http://${host === undefined ? 'localhost' : hostText(host)}:${address.port}`;
      logger.info({ agent: options.name, url }, 'the agent is listening');
      return { port: address.port, url };
    },
    close(options) {
      closing ??= close(options);
      return closing;
    },
    [REDEFINE](change, context) {
      if (isInTest || (opening && !closing))
        throw createError('conflict', 'The agent is already open. Close it before the next testAgent().');
      const changed = change(defined);
      checkAgentOptions(changed);
      options = changed;
      processContext = context;
      opening = closing = server = undefined;
      isInTest = true;
    },
  };
  return agent;
}

/** The port that the platform routes to without `PORT`. */
const DEFAULT_PORT = 8_000;

/**
 * Returns the port that the environment names; 8000 by default.
 * @throws `invalid` when `PORT` is no port.
 */
function portOf(environment: Readonly<Record<string, string | undefined>>): number {
  const text = environment['PORT'];
  if (text === undefined || text === '') return DEFAULT_PORT;
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw createError('invalid', `PORT is ${JSON.stringify(text)}; it must be a number from 0 to 65535.`);
}

/** Starts listening. @throws the system's error, e.g. EADDRINUSE. */
function listenOn(server: Server, port: number, host: string | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

/** Returns the host for a URL that a person can open. */
function hostText(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}

/** How often idle connections are closed. Node closes only those that are idle at the time of the call. */
const LOOK_MS = 50;

/** Starts to close a server: it accepts no new connections, and closes each one when its response has ended. */
function closeServer(server: Server, clock: Clock) {
  const ended = once(server, 'close');
  server.close();
  const look = () => {
    server.closeIdleConnections();
    timer = clock.setTimer(LOOK_MS, look);
  };
  let timer = clock.setTimer(LOOK_MS, look);
  return {
    /** Destroys the remaining connections after `leftMs`; resolves when all are closed. */
    async cutAfter(leftMs: number): Promise<void> {
      const cut = clock.setTimer(leftMs, () => server.closeAllConnections());
      await ended;
      cut.cancel();
      timer.cancel();
    },
  };
}

/**
 * Tells the library that the response was sent. Where other code has replaced the global `Response` before, the constant is of that
 * class, which the library sends without looking for its mark; a clone is of the built-in one.
 */
const SENT = RESPONSE_ALREADY_SENT.clone();

/** Returns a listener that answers a Node server's requests with `fetch`. */
export function requestListener(fetch: Agent['fetch']): RequestListener {
  const serve = getRequestListener(
    async (request, env) => {
      const response = await fetch(request, env);
      return sendDirectly(response, env.outgoing as ServerResponse) ? SENT : response;
    },
    { overrideGlobalObjects: false },
  );
  return (request, response) => void serve(request, response);
}
