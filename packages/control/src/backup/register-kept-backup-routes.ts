import { Readable } from 'node:stream';
import { type Api, type AuditLog, auditSource, defineOperation } from '@berth/accounts';
import { createError, keptBackupSchema } from '@berth/contract';
import { jsonResponse } from '@berth/http';
import { z } from '@hono/zod-openapi';

/** Backups of the platform in a bucket. */
export interface KeptBackupPort {
  list(): Promise<readonly KeptBackupRow[]>;
  create(): Promise<KeptBackupRow>;
  read(name: string): Promise<Readable>;
}

interface KeptBackupRow {
  readonly name: string;
  readonly sizeBytes: number;
  readonly createdAtMs: number;
}

export interface KeptBackupRouteDeps {
  readonly audit: Pick<AuditLog, 'record'>;
  /** Absent: no bucket is configured. */
  readonly keptBackups: KeptBackupPort | undefined;
}

const GUARD = { scope: 'admin', isOperatorOnly: true, isOwnerOnly: true } as const;
const OWNERS = "For owners of the operator's account, and its keys not created by a person.";

const registerList = defineOperation(
  'GET /v1/admin/backups',
  {
    ...GUARD,
    tags: ['Admin'],
    errors: ['not_found'],
    operationId: 'listBackups',
    summary: 'List the backups of the platform in the bucket for backups',
    description: OWNERS,
    responses: { 200: jsonResponse(z.array(keptBackupSchema), 'The backups, newest first') },
  },
  async (c, deps: KeptBackupRouteDeps) => c.json((await portOf(deps).list()).map(toRow), 200),
);

const registerCreate = defineOperation(
  'POST /v1/admin/backups',
  {
    ...GUARD,
    tags: ['Admin'],
    errors: ['not_found', 'conflict'],
    operationId: 'createBackup',
    summary: 'Back up the platform into the bucket for backups now',
    description: OWNERS,
    responses: { 200: jsonResponse(keptBackupSchema, 'The backup is in the bucket') },
  },
  async (c, deps: KeptBackupRouteDeps) => {
    const port = portOf(deps);
    await deps.audit.record({ ...auditSource(c), action: 'platform.backup', target: 'platform' });
    return c.json(toRow(await port.create()), 200);
  },
);

const registerRead = defineOperation(
  'GET /v1/admin/backups/{name}',
  {
    ...GUARD,
    tags: ['Admin'],
    errors: ['not_found'],
    operationId: 'readBackup',
    summary: 'Download a backup from the bucket for backups; contains every secret',
    description: OWNERS,
    request: { params: z.object({ name: z.string() }) },
    responses: {
      200: {
        description: 'A tar, compressed with zstd, as that of `GET /v1/admin/backup`',
        content: { 'application/zstd': { schema: z.string().openapi({ format: 'binary' }) } },
      },
    },
  },
  async (c, deps: KeptBackupRouteDeps) => {
    const { name } = c.req.valid('param');
    const stream = await portOf(deps).read(name);
    await deps.audit.record({ ...auditSource(c), action: 'platform.backup', target: name });
    const body = Readable.toWeb(stream) as ReadableStream<Uint8Array>;
    return c.body(body, 200, { 'Content-Type': 'application/zstd', 'Cache-Control': 'no-store' });
  },
);

/** `/v1/admin/backups`. */
export function registerKeptBackupRoutes(api: Api, deps: KeptBackupRouteDeps): void {
  registerList(api, deps);
  registerCreate(api, deps);
  registerRead(api, deps);
}

function portOf({ keptBackups }: KeptBackupRouteDeps): KeptBackupPort {
  if (keptBackups) return keptBackups;
  throw createError(
    'not_found',
    'No bucket for backups is configured. Set BERTH_BACKUP_BUCKET and restart the server.',
  );
}

function toRow({ name, sizeBytes, createdAtMs }: KeptBackupRow) {
  return { name, size_bytes: sizeBytes, created_at: new Date(createdAtMs).toISOString() };
}
