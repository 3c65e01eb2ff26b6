import type { Api } from '@berth/accounts';
import { auditSource, defineRoute } from '@berth/accounts';
import { setEnvironmentRequestSchema, setEnvironmentResponseSchema } from '@berth/contract';
import { jsonBody, jsonResponse } from '@berth/http';
import type { EnvironmentService } from '../deploys/environment-service.ts';

const route = defineRoute('POST /v1/env/set', {
  scope: 'deploy',
  errors: ['not_found', 'conflict'],
  operationId: 'setEnvironment',
  tags: ['Environment'],
  summary: 'Set and unset variables of a deployment; a new revision has them, without a build',
  request: { body: jsonBody(setEnvironmentRequestSchema) },
  responses: { 200: jsonResponse(setEnvironmentResponseSchema, 'They are stored; `status` tells who has them') },
});

/** Registers `POST /v1/env/set`. */
export function registerSetEnvironment(api: Api, { environment }: { readonly environment: EnvironmentService }): void {
  api.openapi(route, async (c) => {
    const { deployment_name: name, set, unset } = c.req.valid('json');
    const change = { set: new Map(Object.entries(set)), unset };
    return c.json(await environment.set(c.get('principal').accountId, name, change, auditSource(c)), 200);
  });
}
