import { z } from '@hono/zod-openapi';
import { DEPLOY_ERROR_CODES } from './errors.ts';

/** The deploys that keep the current revision: they replace its instances, end them, or start them again. */
export const STATE_CHANGES = ['restart', 'stop', 'resume'] as const;

export type StateChange = (typeof STATE_CHANGES)[number];

/** The kinds of deploys: new source, another revision, changed variables, changed settings, or a {@link StateChange}. */
export const DEPLOY_KINDS = ['deploy', 'rollback', 'environment', 'redeploy', ...STATE_CHANGES] as const;

export type DeployKind = (typeof DEPLOY_KINDS)[number];

/** Returns whether a deploy keeps the current revision. */
export function isStateChange(kind: DeployKind): kind is StateChange {
  return (STATE_CHANGES as readonly string[]).includes(kind);
}

/** The steps of a deploy. The last three are final. */
export const DEPLOY_STEPS = ['queued', 'building', 'deploying', 'done', 'failed', 'cancelled'] as const;

export type DeployStep = (typeof DEPLOY_STEPS)[number];

/** The key or person that started a deploy. */
export const deployActorSchema = z
  .object({
    kind: z.enum(['key', 'session', 'system']),
    /** Key id or user id; null for the platform itself. */
    id: z.string().nullable(),
    /** Name of the key or person; null when it was deleted. */
    name: z.string().nullable(),
    is_deleted: z.literal(true).optional().openapi({ description: 'Set for a key that was deleted since' }),
  })
  .nullable()
  .openapi({
    description: 'The person or key that started the deploy; null for deploys from before this was recorded',
  });

/** The commit that a deploy takes its source from. */
export const deployCommitSchema = z
  .object({
    sha: z.string().openapi({ description: '40 hex digits' }),
    subject: z.string().openapi({ description: 'First line of its message, at most 200 characters' }),
    branch: z.string(),
  })
  .openapi('DeployCommit');

export type DeployCommit = z.infer<typeof deployCommitSchema>;

/** A deploy without its events. */
export const deploySummarySchema = z
  .object({
    deploy_id: z.string(),
    deployment: z.string(),
    kind: z.enum(DEPLOY_KINDS),
    status: z.enum(DEPLOY_STEPS),
    /** The latest message, at most 500 characters. For a failed or canceled deploy, the reason. */
    message: z.string(),
    /** The error code of `failed` and `cancelled`; null otherwise. */
    code: z.enum(DEPLOY_ERROR_CODES).nullable(),
    /** The revision that the deploy creates or rolls back to; null while queued. */
    revision: z.string().nullable(),
    actor: deployActorSchema,
    commit: deployCommitSchema.optional().openapi({ description: 'Absent for a source that is not a commit' }),
    is_cancel_requested: z.boolean(),
    created_at: z.iso.datetime(),
    ended_at: z.iso.datetime().nullable(),
  })
  .openapi('DeploySummary');

export type DeploySummary = z.infer<typeof deploySummarySchema>;

/** Query of `GET /v1/deploys`. */
export const listDeploysQuerySchema = z.object({
  name: z.string().optional().openapi({ description: 'Only this deployment' }),
  state: z.enum(['active', 'ended']).optional().openapi({ description: '`active`: only running deploys' }),
  limit: z.coerce.number().int().min(1).max(200).default(50),
  page_token: z.string().optional().openapi({ description: 'next_page_token of the previous answer' }),
});

/** Response of `GET /v1/deploys`, newest first. */
export const deployPageSchema = z
  .object({ deploys: z.array(deploySummarySchema), next_page_token: z.string().nullable() })
  .openapi('DeployPage');

export type DeployPage = z.infer<typeof deployPageSchema>;
