import { z } from '@hono/zod-openapi';
import { AUDIT_ACTIONS } from './audit-actions.ts';
import { dateTimeSchema } from './logs.ts';

/** An entry of the audit log. Source: docs/contract/control-plane.md §8. */
export const auditEntrySchema = z
  .object({
    id: z.string(),
    time: z.iso.datetime(),
    actor: z.object({
      kind: z.enum(['key', 'session', 'system']),
      /** Key id or user id; null for the platform itself. */
      id: z.string().nullable(),
    }),
    actor_name: z
      .string()
      .nullable()
      .openapi({ description: 'Current name of the key or person; null for the platform and for deleted actors' }),
    /** `<noun>.<verb>`. */
    action: z.string().openapi({
      description: `One of: ${AUDIT_ACTIONS.join(', ')}. Entries of other versions may have others.`,
      example: 'key.create',
    }),
    /** Id or name of the object of the action. */
    target: z.string(),
    target_name: z.string().nullable().optional().openapi({
      description: 'Current name of a target that is an ID: a key, a person or an account; null when there is none',
    }),
    details: z.record(z.string(), z.unknown()),
    request_id: z.string().nullable(),
  })
  .openapi('AuditEntry');

export type AuditEntry = z.infer<typeof auditEntrySchema>;

/** Query of `GET /v1/user/audit`. */
export const auditQuerySchema = z.object({
  limit: z.coerce.number().int().min(1).max(1_000).default(100),
  page_token: z.string().optional().openapi({ description: 'next_page_token of the previous answer' }),
  actor: z.string().optional().openapi({ description: 'Only actions of this key or person, by ID; or `system`' }),
  action: z
    .string()
    .optional()
    .openapi({ description: 'Only this action (`key.create`), or all of a noun (`key`)', example: 'key' }),
  target: z.string().optional().openapi({ description: 'Only targets that contain this text' }),
  since: dateTimeSchema.optional().openapi({ description: 'Only at this time or later' }),
  until: dateTimeSchema.optional().openapi({ description: 'Only before this time' }),
});

export type AuditQuery = z.input<typeof auditQuerySchema>;

/** Response of `GET /v1/user/audit`; newest first. */
export const auditPageSchema = z
  .object({ entries: z.array(auditEntrySchema), next_page_token: z.string().nullable() })
  .openapi('AuditPage');

export type AuditPage = z.infer<typeof auditPageSchema>;
