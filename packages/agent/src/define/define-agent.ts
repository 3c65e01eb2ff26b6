import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createError } from '@berth/contract';
import { sendDirectly } from '@berth/http';
import { describeError, runInBackground } from '@berth/kit';
import { getRequestListener } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { Hono } from 'hono';
import type { AgentEnv } from '../http/agent-app.ts';
import type { Agent, Listening, ListenOptions } from './agent.ts';
import type { AgentOptions } from './agent-options.ts';
import { checkAgentOptions } from './check-agent-options.ts';
import { type OpenAgent, openAgent } from './open-agent.ts';
import { processSurroundings, type Surroundings } from './surroundings.ts';

/** Where the platform routes to when it says no `PORT`. */
const DEFAULT_PORT = 8_000;

/** Turns may go on for so long after SIGTERM. The platform kills 10 s after it, and what is interrupted takes 1 s to say so. */
const DRAIN_MS = 8_000;

/**
 * Defines an agent.
 * @throws `invalid` when an option is wrong.
 */
export function defineAgent(options: AgentOptions): Agent {
  return createAgent(options, processSurroundings());
}

/** The agent of `defineAgent` in other surroundings than this process's, for tests. */
export function createAgent(options: AgentOptions, surroundings: Surroundings): Agent {
  checkAgentOptions(options);
  const { environment, logger } = surroundings;
  const routes = new Hono<AgentEnv>();
  let opening: Promise<OpenAgent> | undefined;
  let server: Server | undefined;
  let closing: Promise<void> | undefined;
  let forgetSignals = () => {};
  const open = () => {
    if (closing) throw createError('unavailable', 'The agent is closed.');
    // One that failed is tried again: the disk or the database may be back.
    opening ??= openAgent(options, surroundings, routes).catch((error) => {
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
      logger.error({ error: describeError(error) }, 'the agent can not be opened');
      return Response.json(
        { detail: 'The agent can not serve now; its log says why.' },
        { status: 503, headers: { 'Retry-After': '5' } },
      );
    }
  };
  const close = async () => {
    server?.close();
    const opened = await opening?.catch(() => undefined);
    await opened?.close({ drainMs: DRAIN_MS });
    server?.closeAllConnections();
    forgetSignals();
  };
  const agent: Agent = {
    fetch,
    routes,
    async listen({ port = portOf(environment), host = environment['HOST'] }: ListenOptions = {}): Promise<Listening> {
      if (server) throw createError('conflict', 'The agent listens already.');
      await open();
      // Uploads and turns take the time that they take.
      server = createServer({ requestTimeout: 0 });
      const serve = getRequestListener(
        async (request, env) => {
          const response = await fetch(request, env);
          return sendDirectly(response, env.outgoing as ServerResponse) ? RESPONSE_ALREADY_SENT : response;
        },
        { overrideGlobalObjects: false },
      );
      server.on('request', (request, response) => void serve(request, response));
      await listenOn(server, port, host);
      forgetSignals = surroundings.onEndSignal(() => runInBackground('close the agent', agent.close(), logger));
      const address = server.address() as AddressInfo;
      const url = `http://${host === undefined ? 'localhost' : hostText(host)}:${address.port}`;
      logger.info({ agent: options.name, url }, 'the agent listens');
      return { port: address.port, url };
    },
    close() {
      closing ??= close();
      return closing;
    },
  };
  return agent;
}

function portOf(environment: Surroundings['environment']): number {
  const text = environment['PORT'];
  if (text === undefined || text === '') return DEFAULT_PORT;
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw createError('invalid', `PORT is ${JSON.stringify(text)}; it must be a number from 0 to 65535.`);
}

function listenOn(server: Server, port: number, host: string | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function hostText(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}
