import { auditSource, defineOperation } from '@berth/accounts';
import {
  refreshEnvironmentRequestSchema,
  setEnvironmentRequestSchema,
  setEnvironmentResponseSchema,
} from '@berth/contract';
import { jsonBody, jsonResponse } from '@berth/http';
import type { EnvironmentChange } from '../environment/environment-change.ts';
import type { DeploymentRouteDeps } from './deployment-route-deps.ts';

interface RequestedChange {
  readonly set: Readonly<Record<string, string>>;
  readonly unset: string[];
  readonly plain: readonly string[];
}

export function readChange({ set, unset, plain }: RequestedChange): EnvironmentChange {
  return { set: new Map(Object.entries(set)), unset, plain: new Set(plain) };
}

/** Registers `POST /v1/env/set`. */
export const registerSetEnvironment = defineOperation(
  'POST /v1/env/set',
  {
    scope: 'deploy',
    errors: ['not_found', 'conflict', 'unavailable'],
    operationId: 'setEnvironment',
    tags: ['Environment'],
    summary: 'Set and unset variables of a deployment; starts a new revision without a build',
    request: { body: jsonBody(setEnvironmentRequestSchema) },
    responses: {
      200: jsonResponse(
        setEnvironmentResponseSchema,
        'The variables are stored; `status` tells which revision uses them',
      ),
    },
  },
  async (c, { environment }: DeploymentRouteDeps) => {
    const { deployment_name: name, ...request } = c.req.valid('json');
    const change = readChange(request);
    return c.json(await environment.set(c.get('principal').accountId, name, change, auditSource(c)), 200);
  },
);

/** Registers `POST /v1/env/refresh`. */
export const registerRefreshEnvironment = defineOperation(
  'POST /v1/env/refresh',
  {
    scope: 'deploy',
    errors: ['not_found', 'conflict', 'unavailable'],
    operationId: 'refreshEnvironment',
    tags: ['Environment'],
    summary: 'Read the values that variables of a deployment refer to again; starts a new revision when one changed',
    request: { body: jsonBody(refreshEnvironmentRequestSchema) },
    responses: { 200: jsonResponse(setEnvironmentResponseSchema, 'As of `POST /v1/env/set`') },
  },
  async (c, { environment }: DeploymentRouteDeps) => {
    const { deployment_name: name } = c.req.valid('json');
    return c.json(await environment.refresh(c.get('principal').accountId, name, auditSource(c)), 200);
  },
);
