import { z } from '@hono/zod-openapi';

/**
 * The states of an instance. `unready`: it refuses connections or is unhealthy; `suspended`: it is frozen until the next request;
 * `draining`: it finishes its requests before it is stopped.
 */
export const INSTANCE_STATES = ['starting', 'ready', 'unready', 'suspended', 'resuming', 'draining'] as const;

export type InstanceStateName = (typeof INSTANCE_STATES)[number];

/** An element of the response of `GET /v1/deployment/instances`. */
export const instanceSchema = z
  .object({
    instance: z.string(),
    deployment_name: z.string(),
    revision: z.string(),
    state: z.enum(INSTANCE_STATES),
    started_at: z.iso.datetime(),
    requests: z.int().openapi({ description: 'Requests in flight' }),
    busy: z.boolean().openapi({ description: 'It has no request and says that it has work' }),
    cpu: z.number().nullable().openapi({
      description: 'CPUs in use over about ten seconds; null before the first measurement and while it is suspended',
    }),
    memory_bytes: z.int().nullable().openapi({ description: 'Null before the first measurement' }),
    server: z.string().nullable().openapi({
      description:
        'The server that runs it, where several share the work; its other values are at most 15 seconds old then',
    }),
  })
  .openapi('Instance');

export type Instance = z.infer<typeof instanceSchema>;
