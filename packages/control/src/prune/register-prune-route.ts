import type { Api } from '@berth/accounts';
import { type AuditLog, auditSource, defineRoute } from '@berth/accounts';
import type { Pruned } from '@berth/builder';
import { pruneRequestSchema, pruneResultSchema } from '@berth/contract';
import { jsonBody, jsonResponse } from '@berth/http';
import type { Deployments } from '../deployments/create-deployments.ts';
import type { Volumes } from '../volumes/create-volumes.ts';

const route = defineRoute('POST /v1/admin/prune', {
  scope: 'admin',
  isOperatorOnly: true,
  operationId: 'prune',
  tags: ['Admin'],
  summary: 'Remove caches of builds, and what nothing needs; beside running builds',
  description: 'Whatever a deployment serves or may roll back to stays.',
  request: { body: jsonBody(pruneRequestSchema) },
  responses: { 200: jsonResponse(pruneResultSchema, 'What was removed, or would be') },
});

export interface PruneRouteDeps {
  readonly audit: Pick<AuditLog, 'record'>;
  readonly deployments: Pick<Deployments, 'prune'>;
  readonly volumes: Pick<Volumes, 'collect'>;
}

/** `POST /v1/admin/prune` [+]. */
export function registerPruneRoute(api: Api, { audit, deployments, volumes }: PruneRouteDeps): void {
  api.openapi(route, async (c) => {
    const { dry_run: isDryRun } = c.req.valid('json');
    const { accountId } = c.get('principal');
    if (!isDryRun) await audit.record({ ...auditSource(c), accountId, action: 'platform.prune', target: 'platform' });
    const due = await volumes.collect({ isDryRun });
    const removed: { what: Pruned['what'] | 'volumes'; count: number; sizeBytes: number | null }[] = [
      ...(await deployments.prune({ isDryRun })),
      { what: 'volumes', count: due.length, sizeBytes: due.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0) },
    ];
    return c.json(
      {
        dry_run: isDryRun,
        removed: removed.map(({ what, count, sizeBytes }) => ({ what, count, size_bytes: sizeBytes })),
        size_bytes: removed.reduce((sum, { sizeBytes }) => sum + (sizeBytes ?? 0), 0),
      },
      200,
    );
  });
}
