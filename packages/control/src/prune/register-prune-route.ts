import { type AuditLog, auditSource, defineOperation } from '@berth/accounts';
import type { Pruned } from '@berth/builder';
import { pruneRequestSchema, pruneResultSchema } from '@berth/contract';
import { jsonBody, jsonResponse } from '@berth/http';
import type { Deployments } from '../deployments/create-deployments.ts';
import type { Volumes } from '../volumes/create-volumes.ts';

export interface PruneRouteDeps {
  readonly audit: Pick<AuditLog, 'record'>;
  readonly deployments: Pick<Deployments, 'prune'>;
  readonly volumes: Pick<Volumes, 'collect'>;
}

/** `POST /v1/admin/prune` [+]. */
export const registerPruneRoute = defineOperation(
  'POST /v1/admin/prune',
  {
    scope: 'admin',
    isOperatorOnly: true,
    operationId: 'prune',
    tags: ['Admin'],
    summary: 'Remove build caches and unused data while builds continue',
    description: 'Live revisions and revisions that can be rolled back to are kept.',
    request: { body: jsonBody(pruneRequestSchema) },
    responses: { 200: jsonResponse(pruneResultSchema, 'The removed data, or data that would be removed') },
  },
  async (c, { audit, deployments, volumes }: PruneRouteDeps) => {
    const { dry_run: isDryRun } = c.req.valid('json');
    if (!isDryRun) await audit.record({ ...auditSource(c), action: 'platform.prune', target: 'platform' });
    const due = await volumes.collect({ isDryRun });
    const removed: { what: Pruned['what'] | 'volumes'; count: number; sizeBytes: number | null }[] = [
      ...(await deployments.prune({ isDryRun })),
      { what: 'volumes', count: due.length, sizeBytes: due.reduce((sum, { size_bytes }) => sum + size_bytes, 0) },
    ];
    return c.json(
      {
        dry_run: isDryRun,
        removed: removed.map(({ what, count, sizeBytes }) => ({ what, count, size_bytes: sizeBytes })),
        size_bytes: removed.reduce((sum, { sizeBytes }) => sum + (sizeBytes ?? 0), 0),
      },
      200,
    );
  },
);
