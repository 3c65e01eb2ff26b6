import { z } from '@hono/zod-openapi';

/** Query of `GET /v1/admin/reconcile`. */
export const reconcileRequestSchema = z.object({
  from: z.iso.date().optional().openapi({ description: 'First UTC day; yesterday by default' }),
});

/** The metered usage of one SKU on one day, compared with the request log. */
export const reconciliationRowSchema = z
  .object({
    account: z.string(),
    day: z.iso.date(),
    resource: z.string(),
    sku: z.enum(['requests', 'egress']),
    metered: z.number(),
    logged: z.number(),
  })
  .openapi('ReconciliationRow');

/** Response of `GET /v1/admin/reconcile`. */
export const reconciliationSchema = z
  .object({
    checked: z.number().int().openapi({ description: 'Number of compared pairs' }),
    off: z.array(reconciliationRowSchema).openapi({ description: 'Pairs that differ by more than 1 %' }),
  })
  .openapi('Reconciliation');

export type Reconciliation = z.infer<typeof reconciliationSchema>;
