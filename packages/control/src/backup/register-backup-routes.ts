import { Readable } from 'node:stream';
import { type AuditLog, auditSource, defineOperation } from '@berth/accounts';
import { z } from '@hono/zod-openapi';

export interface BackupRouteDeps {
  readonly audit: Pick<AuditLog, 'record'>;
  /** @throws `conflict` while another backup runs. */
  createBackup(): Promise<Readable>;
}

/** `/v1/admin/backup`. */
export const registerBackupRoutes = defineOperation(
  'GET /v1/admin/backup',
  {
    // A backup holds every account's secrets, with which an admin could become an owner.
    scope: 'admin',
    isOperatorOnly: true,
    isOwnerOnly: true,
    errors: ['conflict'],
    operationId: 'backup',
    tags: ['Admin'],
    summary: 'Download a backup of the whole platform while it runs; contains every secret',
    description: "For owners of the operator's account, and its keys not created by a person.",
    responses: {
      200: {
        description: 'A tar, compressed with zstd. `berth admin restore` verifies that it is complete and unchanged',
        content: { 'application/zstd': { schema: z.string().openapi({ format: 'binary' }) } },
      },
    },
  },
  async (c, { audit, createBackup }: BackupRouteDeps) => {
    await audit.record({ ...auditSource(c), action: 'platform.backup', target: 'platform' });
    const body = Readable.toWeb(await createBackup()) as ReadableStream<Uint8Array>;
    return c.body(body, 200, { 'Content-Type': 'application/zstd', 'Cache-Control': 'no-store' });
  },
);
