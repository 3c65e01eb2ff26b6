import { BUSY_PATH } from '@berth/contract/busy';
import {
  createRouteTable,
  lingeringClose,
  type RequestContextOptions,
  renderError,
  requestContext,
  validationHook,
} from '@berth/http';
import { OpenAPIHono } from '@hono/zod-openapi';
import { getPath } from 'hono/utils/url';
import type { ActiveWorkspace } from '../identity/workspace-access.ts';
import type { AgentApp, AgentAppContext, AgentEnv } from './agent-app.ts';
import { refuseClimbs } from './raw-path.ts';

/** Clients of OpenAI's API may put `/v1` before these paths. Source: docs/contract/agent-api.md §2, "Completions". */
const OPENAI_PATH = /^\/v1(\/chat\/completions|\/models(?:\/.*)?)$/;

/** Returns the log fields of a request: its user, and the team it works in. */
function logFields(c: AgentAppContext): Record<string, unknown> {
  const workspace: ActiveWorkspace | undefined = c.get('workspace');
  return { userId: c.get('user')?.id, ...(workspace?.type === 'team' && { workspaceId: workspace.id }) };
}

/** Creates the application without any route: it renders errors, assigns request ids, and answers 404 and 405. */
export function createApp({ logger, clock, ids }: Pick<RequestContextOptions, 'logger' | 'clock' | 'ids'>): AgentApp {
  const app: AgentApp = new OpenAPIHono<AgentEnv>({
    defaultHook: validationHook,
    getPath: (request) => getPath(request).replace(OPENAI_PATH, '$1'),
  });
  const table = createRouteTable(app);
  app.onError(renderError);
  app.notFound((c) => {
    const problem = table.problem(c.req.method, c.req.path);
    return renderError(problem ?? new Error('a handler returned no response'), c);
  });
  app.use('*', requestContext({ logger, clock, ids, logFields, unlogged: [BUSY_PATH] }));
  app.use('*', lingeringClose({ clock }));
  app.use('*', refuseClimbs());
  return app;
}
