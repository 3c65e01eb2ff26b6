import { z } from '@hono/zod-openapi';
import { deploymentSchema } from './deployment.ts';
import { SETTING_FIELDS } from './settings.ts';

const mountSchema = z.object({ name: z.string(), read_only: z.boolean(), sub_path: z.string() }).nullable();

/** Response of `GET /v1/deployment/rollback/preview`: the differences between the live revision and the target of a rollback. */
export const rollbackPreviewSchema = z
  .object({
    from: z.string().openapi({ description: 'The live revision' }),
    to: z.string().openapi({ description: 'The revision that the rollback restores' }),
    build: z
      .object({ from: z.string().nullable(), to: z.string().nullable() })
      .nullable()
      .openapi({ description: 'The `sha256:<hex>` of both builds; null if the revisions run the same build' }),
    settings: z
      .array(
        z.object({
          field: z.enum(SETTING_FIELDS as [string, ...string[]]),
          from: z.union([z.string(), z.number(), z.boolean(), deploymentSchema.shape.health]),
          to: z.union([z.string(), z.number(), z.boolean(), deploymentSchema.shape.health]),
        }),
      )
      .openapi({ description: 'Changed settings except volumes and schedule' }),
    schedule: z
      .object({ from: deploymentSchema.shape.schedule, to: deploymentSchema.shape.schedule })
      .nullable()
      .openapi({ description: 'Null if the schedule stays the same' }),
    volumes: z
      .array(z.object({ mount_path: z.string(), from: mountSchema, to: mountSchema }))
      .openapi({ description: 'Changed volume mounts; null where nothing is mounted' }),
    created_volumes: z
      .array(z.string())
      .openapi({ description: 'Volumes that no longer exist; the rollback creates them empty' }),
    variables: z
      .array(z.object({ key: z.string(), change: z.enum(['added', 'changed', 'removed']) }))
      .openapi({ description: 'Changed variables by name. Values are never returned' }),
  })
  .openapi('RollbackPreview');

export type RollbackPreview = z.infer<typeof rollbackPreviewSchema>;
