import { type Api, auditSource, defineOperation, defineRoute } from '@berth/accounts';
import {
  connectedRepositorySchema,
  connectRepositoryRequestSchema,
  messageSchema,
  REPOSITORY_LIMITS,
  repositoryQuerySchema,
  repositorySchema,
  setPreviewVariablesRequestSchema,
} from '@berth/contract';
import { jsonBody, jsonResponse, readBody, registerStream } from '@berth/http';
import { z } from '@hono/zod-openapi';
import type { Repositories } from '../create-repositories.ts';

/** The dependencies of the routes. */
export type RepositoryRouteDeps = Pick<Repositories, 'connected' | 'hooks'>;

const connectRepository = defineOperation(
  'POST /v1/repositories',
  {
    scope: 'deploy',
    errors: ['conflict'],
    operationId: 'connectRepository',
    tags: ['Repositories'],
    summary: 'Connect a deployment to a repository, whose pushes deploy from then on',
    request: { body: jsonBody(connectRepositoryRequestSchema) },
    responses: {
      200: jsonResponse(connectedRepositorySchema, 'The repository, with the secret unless the webhook exists'),
    },
  },
  async (c, { connected }: RepositoryRouteDeps) =>
    c.json(await connected.connect(c.req.valid('json'), auditSource(c)), 200),
);

const getRepository = defineOperation(
  'GET /v1/repositories',
  {
    scope: 'read',
    errors: ['not_found'],
    operationId: 'getRepository',
    tags: ['Repositories'],
    summary: 'Read the repository of a deployment, with its last runs and its previews',
    request: { query: repositoryQuerySchema },
    responses: { 200: jsonResponse(repositorySchema, 'The repository') },
  },
  async (c, { connected }: RepositoryRouteDeps) =>
    c.json(await connected.show(c.get('principal').accountId, c.req.valid('query').deployment_name), 200),
);

const disconnectRepository = defineOperation(
  'DELETE /v1/repositories',
  {
    scope: 'deploy',
    errors: ['not_found'],
    operationId: 'disconnectRepository',
    tags: ['Repositories'],
    summary: 'Disconnect a repository; its previews and, with a token, its webhook are removed',
    request: { query: repositoryQuerySchema },
    responses: { 200: jsonResponse(messageSchema, 'The repository is disconnected') },
  },
  async (c, { connected }: RepositoryRouteDeps) => {
    const { deployment_name: name } = c.req.valid('query');
    await connected.disconnect(name, auditSource(c));
    return c.json({ detail: `"${name}" is disconnected from its repository. It keeps serving.` }, 200);
  },
);

const setPreviewVariables = defineOperation(
  'POST /v1/repositories/preview-env',
  {
    scope: 'deploy',
    errors: ['not_found'],
    operationId: 'setPreviewVariables',
    tags: ['Repositories'],
    summary: 'Set variables that only previews get, from their next deploy on',
    request: { body: jsonBody(setPreviewVariablesRequestSchema) },
    responses: { 200: jsonResponse(repositorySchema, 'The repository') },
  },
  async (c, { connected }: RepositoryRouteDeps) => {
    const { deployment_name: name, ...change } = c.req.valid('json');
    return c.json(await connected.setPreviewVariables(name, change, auditSource(c)), 200);
  },
);

const hookRoute = defineRoute('POST /v1/hooks/git/{id}', {
  scope: 'public',
  errors: ['not_found', 'bad_request', 'payload_too_large'],
  operationId: 'receiveRepositoryEvent',
  tags: ['Repositories'],
  summary: "Receive requests of a forge's webhook with a valid signature",
  request: { params: z.object({ id: z.string() }) },
  responses: { 200: jsonResponse(messageSchema, 'The result of the request; its deploy follows') },
});

/** Registers `/v1/repositories…` and the webhooks of forges. */
export function registerRepositoryRoutes(api: Api, deps: RepositoryRouteDeps): void {
  for (const register of [connectRepository, getRepository, disconnectRepository, setPreviewVariables]) {
    register(api, deps);
  }
  registerStream(api, hookRoute, async (c) => {
    // The signature covers the raw bytes.
    const body = await readBody(c, REPOSITORY_LIMITS.hookBytes);
    const header = (name: string) => c.req.header(name);
    const detail = await deps.hooks.receive({ id: c.req.param('id') ?? '', header, body });
    return c.json({ detail }, 200);
  });
}
