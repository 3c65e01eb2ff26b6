import { auditSource, defineOperation } from '@berth/accounts';
import { pushRepositorySchema, setPushBranchRequestSchema } from '@berth/contract';
import { jsonBody, jsonResponse } from '@berth/http';
import { z } from '@hono/zod-openapi';
import type { GitPushes } from '../create-git-pushes.ts';

interface PushBranchDeps {
  readonly pushes: GitPushes;
}

const params = z.object({ name: z.string().max(63) });

/** Registers `GET /v1/git/{name}`. */
export const registerGetPushRepository = defineOperation(
  'GET /v1/git/{name}',
  {
    scope: 'read',
    errors: ['not_found'],
    operationId: 'getPushRepository',
    tags: ['Deployments'],
    summary: 'The repository that `git push` deploys to; a free name can be pushed to as well',
    request: { params },
    responses: { 200: jsonResponse(pushRepositorySchema, 'The repository') },
  },
  async (c, { pushes }: PushBranchDeps) => {
    const { name } = c.req.valid('param');
    return c.json(await pushes.describe({ account: c.get('principal').accountId, name }), 200);
  },
);

/** Registers `PUT /v1/git/{name}`. */
export const registerSetPushBranch = defineOperation(
  'PUT /v1/git/{name}',
  {
    scope: 'deploy',
    errors: ['not_found', 'conflict'],
    operationId: 'setPushBranch',
    tags: ['Deployments'],
    summary: 'Choose the branch that `git push` deploys; a free name is reserved',
    request: { params, body: jsonBody(setPushBranchRequestSchema) },
    responses: { 200: jsonResponse(pushRepositorySchema, 'The repository') },
  },
  async (c, { pushes }: PushBranchDeps) => {
    const target = { account: c.get('principal').accountId, name: c.req.valid('param').name };
    await pushes.setBranch(target, c.req.valid('json').branch, auditSource(c));
    return c.json(await pushes.describe(target), 200);
  },
);
