import { z } from '@hono/zod-openapi';

/** Body of `POST /v1/env/set`. Source: docs/contract/control-plane.md §3. Keys are checked by the platform: some are its own. */
export const setEnvironmentRequestSchema = z
  .object({
    deployment_name: z.string(),
    set: z.record(z.string(), z.string()).default({}),
    unset: z.array(z.string()).default([]),
  })
  .openapi('SetEnvironmentRequest');

export type SetEnvironmentRequest = z.input<typeof setEnvironmentRequestSchema>;

/**
 * Answer of `POST /v1/env/set`, once the new revision serves. `status`:
 * `stored`, nothing is deployed yet and the first deploy will have it; `unchanged`, it was set like that before;
 * `applied`, `revision` serves with it; `applying`, that takes long and `deploy_id` tells how it goes;
 * `failed`, it is stored, but the service did not start with it and goes on without.
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

/** A row of `GET /v1/env/list`: never a value. */
export const environmentKeySchema = z
  .object({ key: z.string(), updated_at: z.iso.datetime() })
  .openapi('EnvironmentKey');

export type EnvironmentKey = z.infer<typeof environmentKeySchema>;
