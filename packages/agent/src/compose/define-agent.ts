import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type AgentEnv, requireUser } from '@berth/agent-core';
import { createError } from '@berth/contract';
import { describeError, runInBackground } from '@berth/kit';
import { Hono } from 'hono';
import { hostText, listenOn, portOf } from './address.ts';
import type { Agent, CloseOptions, Listening, ListenOptions } from './agent.ts';
import type { AgentOptions } from './agent-options.ts';
import { checkAgentOptions } from './check-agent-options.ts';
import { closeServer } from './close-server.ts';
import { type OpenAgent, openAgent } from './open-agent.ts';
import { currentProcess, type ProcessContext } from './process-context.ts';
import { requestListener } from './request-listener.ts';

/** Turns may go on for so long after SIGTERM. The platform kills 10 s after it, and what is interrupted takes 1 s to say so. */
const DRAIN_MS = 8_000;
/** What is still being sent when the turns have ended has at least so long. */
const LAST_WORDS_MS = 500;

/**
 * Defines an agent.
 * @throws `invalid` when an option is wrong.
 */
export function defineAgent(options: AgentOptions): Agent {
  return createAgent(options, currentProcess());
}

const CLOSED = 'The agent is shutting down; try again.';

/** The agent of `defineAgent` in other surroundings than this process's, for tests. */
export function createAgent(options: AgentOptions, processContext: ProcessContext): Agent {
  checkAgentOptions(options);
  const { environment, clock, logger } = processContext;
  const routes = new Hono<AgentEnv>();
  let opening: Promise<OpenAgent> | undefined;
  let server: Server | undefined;
  let closing: Promise<void> | undefined;
  let forgetSignals = () => {};
  const open = () => {
    if (closing) throw createError('unavailable', CLOSED);
    // One that failed is tried again: the disk or the database may be back.
    opening ??= openAgent(options, processContext, routes).catch((error) => {
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
      if (!closing) logger.error({ error: describeError(error) }, 'the agent can not be opened');
      const detail = closing ? CLOSED : 'The agent can not serve now; its log says why.';
      return Response.json({ detail }, { status: 503, headers: { 'Retry-After': '5' } });
    }
  };
  const close = async ({ drainMs = DRAIN_MS }: CloseOptions = {}) => {
    const endsMs = clock.monotonicMs() + drainMs;
    const closingServer = server && closeServer(server, clock);
    const opened = await opening?.catch(() => undefined);
    await opened?.drain(drainMs);
    const leftMs = drainMs === 0 ? 0 : Math.max(endsMs - clock.monotonicMs(), LAST_WORDS_MS);
    await closingServer?.cutAfter(leftMs);
    await opened?.close();
    forgetSignals();
  };
  const agent: Agent = {
    fetch,
    routes,
    async requireUser(c, next) {
      return requireUser((await open()).guard)(c, next);
    },
    async listen({ port = portOf(environment), host = environment['HOST'] }: ListenOptions = {}): Promise<Listening> {
      if (server) throw createError('conflict', 'The agent listens already.');
      await open();
      // Uploads and turns take the time that they take.
      const listening = createServer({ requestTimeout: 0 });
      listening.on('request', requestListener(fetch));
      await listenOn(listening, port, host);
      server = listening;
      forgetSignals = processContext.onEndSignal(() => runInBackground('close the agent', agent.close(), logger));
      const address = listening.address() as AddressInfo;
      const url = `http://${host === undefined ? 'localhost' : hostText(host)}:${address.port}`;
      logger.info({ agent: options.name, url }, 'the agent listens');
      return { port: address.port, url };
    },
    close(options) {
      closing ??= close(options);
      return closing;
    },
  };
  return agent;
}
