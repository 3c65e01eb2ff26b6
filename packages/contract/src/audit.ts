import { z } from '@hono/zod-openapi';

/** One line of the audit log. Source: spec control-plane 8. */
export const auditEntrySchema = z
  .object({
    id: z.string(),
    time: z.iso.datetime(),
    actor: z.object({
      kind: z.enum(['key', 'session', 'system']),
      /** Key id or user id; null for the platform itself. */
      id: z.string().nullable(),
    }),
    /** `<noun>.<verb>`. */
    action: z.string().openapi({ example: 'key.create' }),
    /** Id or name of what it was done to. */
    target: z.string(),
    details: z.record(z.string(), z.unknown()),
    request_id: z.string().nullable(),
  })
  .openapi('AuditEntry');

export type AuditEntry = z.infer<typeof auditEntrySchema>;

/** Query of `GET /v1/user/audit`. */
export const auditQuerySchema = z.object({
  limit: z.coerce.number().int().min(1).max(1_000).default(100),
  page_token: z.string().optional().openapi({ description: 'next_page_token of the previous answer' }),
});

/** Answer of `GET /v1/user/audit`; newest first. */
export const auditPageSchema = z
  .object({ entries: z.array(auditEntrySchema), next_page_token: z.string().nullable() })
  .openapi('AuditPage');

export type AuditPage = z.infer<typeof auditPageSchema>;
