import { defineOperation } from '@berth/accounts';
import { deploymentDetailSchema } from '@berth/contract';
import { jsonResponse } from '@berth/http';
import { z } from '@hono/zod-openapi';
import type { RevisionRecord } from '../revisions/revision-store.ts';
import { refuseReserved } from '../store/deployment-store.ts';
import type { DeploymentRouteDeps } from './deployment-route-deps.ts';

/** Registers `GET /v1/deployment/{name}`. */
export const registerGetDeployment = defineOperation(
  'GET /v1/deployment/{name}',
  {
    scope: 'read',
    errors: ['not_found'],
    operationId: 'getDeployment',
    tags: ['Deployments'],
    summary: 'Get a deployment with its revisions, newest first',
    request: { params: z.object({ name: z.string() }) },
    responses: { 200: jsonResponse(deploymentDetailSchema, 'Name of the deployment') },
  },
  async (c, { deployments, environment, history, revisions, traffic, view }: DeploymentRouteDeps) => {
    const { accountId } = c.get('principal');
    const record = refuseReserved(await deployments.get(accountId, c.req.valid('param').name));
    const list = await revisions.list(accountId, record.name);
    const last = await history.listLast(accountId, record.name);
    const keys = new Set((await environment.list(accountId, record.name)).map(({ key }) => key));
    const missing = listRequired(list, record.currentRevision).filter((key) => !keys.has(key));
    const detail = {
      ...{ missing_env: missing, revisions: list.map(view.revision) },
      ...(record.currentRevision === null ? {} : { traffic: await traffic.get(accountId, record.name) }),
    };
    return c.json({ ...view.row(record, last), ...detail }, 200);
  },
);

/** Returns the variables that the live revision requires, and those of the newest one if it failed to replace it. */
function listRequired(newestFirst: readonly RevisionRecord[], current: string | null): readonly string[] {
  const wanted = newestFirst.filter(
    ({ revision, status }, at) => revision === current || (at === 0 && (status === 'failed' || current === null)),
  );
  return [...new Set(wanted.flatMap(({ requiredEnv }) => requiredEnv))].toSorted();
}
