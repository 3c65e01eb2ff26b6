import { z } from '@hono/zod-openapi';
import { DEPLOY_ERROR_CODES } from './errors.ts';

/**
 * The statuses of a deploy's events, in order. The stream ends with one of the last two. Source:
 * docs/contract/control-plane.md §2.
 */
export const DEPLOY_STATUSES = ['BUILDING', 'DEPLOYING', 'DONE', 'ERROR'] as const;

export type DeployStatus = (typeof DEPLOY_STATUSES)[number];

/** One line of the NDJSON stream of `POST /v1/deploy`. Source: docs/contract/control-plane.md §2. */
export const deployEventSchema = z
  .object({
    status: z.enum(DEPLOY_STATUSES),
    message: z.string(),
    time: z.iso.datetime(),
    deploy_id: z.string(),
    /** Position in the deploy's event log, from 1, for `after` of the events route. Absent on a keep-alive line. */
    seq: z.int().optional(),
    /** True on a line that a build command printed. */
    log: z.boolean().optional(),
    /** On DONE. */
    url: z.string().optional(),
    /** On DONE. */
    revision: z.string().optional(),
    /** On ERROR. */
    code: z.enum(DEPLOY_ERROR_CODES).optional(),
    /** On ERROR: the last lines of the service's or the build's output. */
    logs: z.array(z.string()).optional(),
  })
  .openapi('DeployEvent');

export type DeployEvent = z.infer<typeof deployEventSchema>;

/** Returns true for an event that ends the stream. */
export function isTerminal(event: Pick<DeployEvent, 'status'>): boolean {
  return event.status === 'DONE' || event.status === 'ERROR';
}
