import { z } from '@hono/zod-openapi';

/** Body of `POST /v1/admin/prune`. */
export const pruneRequestSchema = z
  .object({
    dry_run: z.boolean().default(false).openapi({ description: 'Remove nothing, and return what would be removed' }),
  })
  .strict();

/** The objects of one kind that a clean-up removed. */
export const prunedSchema = z
  .object({
    what: z.enum(['caches', 'artifacts', 'archives', 'images', 'volumes']),
    count: z.number().int(),
    size_bytes: z
      .number()
      .nullable()
      .openapi({ description: 'Freed bytes; null if unknown before images are removed' }),
  })
  .openapi('Pruned');

/** Response of `POST /v1/admin/prune`. */
export const pruneResultSchema = z
  .object({ dry_run: z.boolean(), removed: z.array(prunedSchema), size_bytes: z.number() })
  .openapi('PruneResult');

export type PruneResult = z.infer<typeof pruneResultSchema>;
