import { defineOperation } from '@berth/accounts';
import { type EnvironmentKey, environmentKeySchema } from '@berth/contract';
import { jsonResponse } from '@berth/http';
import { z } from '@hono/zod-openapi';
import type { Variable } from '../environment/environment-store.ts';
import type { DeploymentRouteDeps } from './deployment-route-deps.ts';

/** Registers `GET /v1/env/list`. */
export const registerListEnvironment = defineOperation(
  'GET /v1/env/list',
  {
    scope: 'read',
    errors: ['not_found'],
    operationId: 'listEnvironment',
    tags: ['Environment'],
    summary: "List a deployment's variables, without the values of secrets",
    request: { query: z.object({ name: z.string() }) },
    responses: { 200: jsonResponse(z.array(environmentKeySchema), 'The keys, sorted') },
  },
  async (c, { environment }: DeploymentRouteDeps) => {
    const variables = await environment.list(c.get('principal').accountId, c.req.valid('query').name);
    return c.json(
      variables.map(({ template, ...variable }) => shownVariable({ ...variable, value: template ?? variable.value })),
      200,
    );
  },
);

/** Returns a variable as lists show it: secrets without their values. */
export function shownVariable({
  key,
  value,
  isPlain,
  updatedAtMs,
}: Pick<Variable, 'key' | 'value' | 'isPlain' | 'updatedAtMs'>): EnvironmentKey {
  return { key, updated_at: new Date(updatedAtMs).toISOString(), ...(isPlain ? { value } : {}) };
}
