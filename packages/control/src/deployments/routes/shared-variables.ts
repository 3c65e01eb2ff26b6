import { auditSource, defineOperation } from '@berth/accounts';
import {
  setSharedVariablesRequestSchema,
  setSharedVariablesResponseSchema,
  sharedVariableSchema,
} from '@berth/contract';
import { jsonBody, jsonResponse } from '@berth/http';
import { z } from '@hono/zod-openapi';
import type { DeploymentRouteDeps } from './deployment-route-deps.ts';
import { shownVariable } from './list-environment.ts';
import { readChange } from './set-environment.ts';

/** Registers `POST /v1/env/shared/set`. */
export const registerSetSharedVariables = defineOperation(
  'POST /v1/env/shared/set',
  {
    scope: 'deploy',
    errors: ['conflict', 'unavailable'],
    operationId: 'setSharedVariables',
    tags: ['Environment'],
    summary:
      "Set and unset the account's shared variables; starts a new revision of each deployment that refers to them",
    request: { body: jsonBody(setSharedVariablesRequestSchema) },
    responses: { 200: jsonResponse(setSharedVariablesResponseSchema, 'The variables are stored; deploys apply them') },
  },
  async (c, { environment }: DeploymentRouteDeps) =>
    c.json(
      await environment.setShared(c.get('principal').accountId, readChange(c.req.valid('json')), auditSource(c)),
      200,
    ),
);

/** Registers `GET /v1/env/shared`. */
export const registerListSharedVariables = defineOperation(
  'GET /v1/env/shared',
  {
    scope: 'read',
    operationId: 'listSharedVariables',
    tags: ['Environment'],
    summary: "List the account's shared variables, without the values of secrets",
    responses: { 200: jsonResponse(z.array(sharedVariableSchema), 'The keys, sorted') },
  },
  async (c, { environment }: DeploymentRouteDeps) => {
    const variables = await environment.listShared(c.get('principal').accountId);
    return c.json(
      variables.map((variable) => ({ ...shownVariable(variable), deployments: [...variable.deployments] })),
      200,
    );
  },
);
