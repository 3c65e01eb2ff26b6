import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createIdSource, createSilentLogger, createSystemClock } from '@berth/kit';
import { Hono } from 'hono';
import { dev } from '../../packages/agent/src/auth/dev.ts';
import { openAgent } from '../../packages/agent/src/define/open-agent.ts';
import { agentOpenApiDocument } from '../../packages/agent/src/http/openapi-document.ts';

/** The description of an agent's API, made from the routes as an agent with sign-in registers them. */
export async function buildAgentDocument(): Promise<ReturnType<typeof agentOpenApiDocument>> {
  const dataFolder = await mkdtemp(path.join(tmpdir(), 'agent-document-'));
  try {
    const agent = await openAgent(
      { name: 'agent', dataFolder, auth: dev(), handler: () => [] },
      {
        environment: {},
        workingFolder: dataFolder,
        clock: createSystemClock(),
        ids: createIdSource(),
        logger: createSilentLogger(),
        onEndSignal: () => () => {},
      },
      new Hono(),
    );
    const document = agentOpenApiDocument(agent.app);
    await agent.drain(0);
    await agent.close();
    return document;
  } finally {
    await rm(dataFolder, { recursive: true, force: true });
  }
}
