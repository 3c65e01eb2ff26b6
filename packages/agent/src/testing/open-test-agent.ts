import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Clock, createIdSource, createSilentLogger, createSystemClock, type Logger } from '@berth/kit';
import type { Agent } from '../compose/agent.ts';
import type { AgentOptions } from '../compose/agent-options.ts';
import { createAgent } from '../compose/define-agent.ts';
import { testAuth } from './test-auth.ts';
import { isTwoInstances, openInstanceFront, sharedDatabaseOf } from './two-instances.ts';

/**
 * An agent on a real socket of loopback, with a data folder of its own that goes with it. In the lane `agent-instances` it
 * is two of them, on Postgres and the one folder, which answer in turn.
 */
export interface TestAgent extends AsyncDisposable {
  readonly agent: Agent;
  readonly url: string;
  readonly dataFolder: string;
  /** Calls it as the token's user (see `testAuth`); undefined for no one. `body` is sent as JSON when it is an object. */
  call(
    token: string | undefined,
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Response>;
}

export interface OpenTestAgentOptions extends Partial<AgentOptions> {
  /** False for an agent that anyone may use. */
  readonly hasAuth?: boolean;
  readonly clock?: Clock;
  readonly logger?: Logger;
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** The addresses of host names that the agent asks. */
  resolveHost?(host: string): Promise<readonly string[]>;
  /** Told before the agent opens, e.g. to add routes of the owner's. */
  prepare?(agent: Agent): void;
}

export async function openTestAgent(options: OpenTestAgentOptions = {}): Promise<TestAgent> {
  const { hasAuth = true, clock = createSystemClock(), logger = createSilentLogger(), ...rest } = options;
  const { environment = {}, prepare, resolveHost, ...agentOptions } = rest;
  const ownFolder = agentOptions.dataFolder === undefined ? await mkdtemp(path.join(tmpdir(), 'agent-')) : undefined;
  const dataFolder = agentOptions.dataFolder ?? (ownFolder as string);
  // Without sign-in nothing is kept, so its instances would have nothing in common.
  const isDouble = isTwoInstances && hasAuth && !agentOptions.databaseUrl && !environment['DATABASE_URL'];
  const databaseUrl = isDouble ? await sharedDatabaseOf(dataFolder) : undefined;
  const open = async () => {
    const agent = createAgent(
      {
        name: 'test-agent',
        ...(hasAuth && { auth: testAuth() }),
        ...(databaseUrl && { databaseUrl }),
        handler: async function* ({ messages }) {
          yield `You said: ${messages.at(-1)?.content}`;
        },
        ...agentOptions,
        dataFolder,
      },
      {
        environment,
        workingFolder: dataFolder,
        clock,
        ids: createIdSource(),
        logger,
        ...(resolveHost && { resolveHost }),
        onEndSignal: () => () => {},
      },
    );
    prepare?.(agent);
    return { agent, url: (await agent.listen({ port: 0, host: '127.0.0.1' })).url };
  };
  const front = isDouble ? await openInstanceFront([(await open()).agent, (await open()).agent]) : undefined;
  const { agent, url } = front ?? (await open());
  return {
    agent,
    url,
    dataFolder,
    call(token, method, target, body, headers = {}) {
      const isJson = body !== undefined && typeof body === 'object' && body?.constructor === Object;
      return fetch(url + target, {
        method,
        headers: {
          ...(token !== undefined && { Authorization: `Bearer ${token}` }),
          ...(isJson && { 'Content-Type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && {
          body: isJson ? JSON.stringify(body) : (body as BodyInit),
          duplex: 'half' as const,
        }),
      });
    },
    async [Symbol.asyncDispose]() {
      await agent.close({ drainMs: 0 });
      await front?.close();
      if (ownFolder) await rm(ownFolder, { recursive: true, force: true });
    },
  };
}
