import { z } from '@hono/zod-openapi';

/**
 * Body of `POST /v1/env/set`. Source: docs/contract/control-plane.md §3. The platform validates the keys, because some are
 * reserved.
 */
export const setEnvironmentRequestSchema = z
  .object({
    deployment_name: z.string(),
    set: z.record(z.string(), z.string()).default({}),
    unset: z.array(z.string()).default([]),
    /** Those of `set` that aren't secret: their values can be read again. */
    plain: z.array(z.string()).default([]),
  })
  .openapi('SetEnvironmentRequest');

/** Body of `POST /v1/env/refresh`. */
export const refreshEnvironmentRequestSchema = z
  .object({ deployment_name: z.string() })
  .openapi('RefreshEnvironmentRequest');

export type SetEnvironmentRequest = z.input<typeof setEnvironmentRequestSchema>;

/**
 * Response of `POST /v1/env/set`, sent once the new revision serves. `status`:
 * `stored`: nothing is deployed yet, and the first deploy uses the variables; `unchanged`: the values were the same;
 * `applied`: `revision` serves with them; `applying`: the deploy `deploy_id` is still in progress;
 * `failed`: they are stored, but the service didn't start with them and the previous revision keeps serving.
 */
export const setEnvironmentResponseSchema = z
  .object({
    detail: z.string(),
    status: z.enum(['stored', 'unchanged', 'applied', 'applying', 'failed']),
    deploy_id: z.string().nullable(),
    revision: z.string().nullable(),
  })
  .openapi('SetEnvironmentResponse');

export type SetEnvironmentResponse = z.infer<typeof setEnvironmentResponseSchema>;

/** A row of `GET /v1/env/list`. Values of secrets are never returned; `value` is that of a plain variable, as it was set. */
export const environmentKeySchema = z
  .object({ key: z.string(), updated_at: z.iso.datetime(), value: z.string().optional() })
  .openapi('EnvironmentKey');

export type EnvironmentKey = z.infer<typeof environmentKeySchema>;

/** Body of `POST /v1/env/shared/set`. */
export const setSharedVariablesRequestSchema = setEnvironmentRequestSchema
  .omit({ deployment_name: true })
  .openapi('SetSharedVariablesRequest');

/** Response of `POST /v1/env/shared/set`: the deployments that refer to a changed variable, and the deploys that apply it. */
export const setSharedVariablesResponseSchema = z
  .object({
    detail: z.string(),
    /** `deploy_id` is null when nothing of the deployment runs: its next start has the new value. */
    deployments: z.array(z.object({ name: z.string(), deploy_id: z.string().nullable() })),
  })
  .openapi('SetSharedVariablesResponse');

export type SetSharedVariablesResponse = z.infer<typeof setSharedVariablesResponseSchema>;

/** A row of `GET /v1/env/shared`. `deployments` refer to it. */
export const sharedVariableSchema = environmentKeySchema
  .extend({ deployments: z.array(z.string()) })
  .openapi('SharedVariable');

export type SharedVariable = z.infer<typeof sharedVariableSchema>;
