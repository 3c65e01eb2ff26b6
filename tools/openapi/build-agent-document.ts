import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { AuthProvider } from '@berth/agent-core';
import { registeredRoutes } from '@berth/http';
import { createIdSource, createSilentLogger, createSystemClock } from '@berth/kit';
import { dev } from '../../packages/agent/src/auth/dev.ts';
import { createAgent } from '../../packages/agent/src/compose/define-agent.ts';
import { openAgent } from '../../packages/agent/src/compose/open-agent.ts';
import { agentOpenApiDocument } from '../../packages/agent/src/compose/openapi-document.ts';
import { createTaskDefinitions } from '../../packages/agent/src/tasks/task-definitions.ts';
import { mcp } from '../../packages/agent-connectors/src/declare/mcp.ts';
import type { DescribedApi } from './described-api.ts';

/** Describes the API of agents from the routes as an agent with sign-in, workspaces, a connector, all protocols, a webhook and a schedule registers them. */
export async function buildAgentDocument(): Promise<DescribedApi> {
  const dataFolder = await mkdtemp(path.join(tmpdir(), 'agent-document-'));
  try {
    const connectors = [mcp({ name: 'example', url: 'https://mcp.example.com/mcp', auth: 'oauth' })];
    const all = { workspaces: 'member', connectors, protocols: { a2a: true, agUi: true, mcp: true } } as const;
    const auth: AuthProvider = {
      open: (context) => ({ ...dev().open(context), issuer: 'https://login.example.com' }),
    };
    const options = { name: 'agent', dataFolder, auth, ...all, handler: () => [] };
    const processContext = {
      environment: {},
      workingFolder: dataFolder,
      clock: createSystemClock(),
      ids: createIdSource(),
      logger: createSilentLogger(),
      onEndSignal: () => () => {},
    };
    const definitions = createTaskDefinitions();
    definitions.on('webhook/example', { verify: () => true }, () => {});
    definitions.on('cron', {}, () => {});
    const { routes } = createAgent(options, processContext);
    const agent = await openAgent(options, processContext, routes, definitions);
    const document = agentOpenApiDocument(agent.app);
    await agent.drain(0);
    await agent.close();
    return { document, routes: registeredRoutes(agent.app) };
  } finally {
    await rm(dataFolder, { recursive: true, force: true });
  }
}
