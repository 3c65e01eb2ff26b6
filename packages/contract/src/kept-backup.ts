import { z } from '@hono/zod-openapi';

/** A backup of the platform in the bucket for backups. */
export const keptBackupSchema = z
  .object({ name: z.string(), size_bytes: z.number().int(), created_at: z.iso.datetime() })
  .openapi('KeptBackup');

export type KeptBackup = z.infer<typeof keptBackupSchema>;
