import { type AgentApp, type RouteGuard, routesOf } from '@berth/agent-core';
import { BUSY_PATH, REPLACED_HEADER } from '@berth/contract/busy';
import { jsonResponse } from '@berth/http';
import { z } from '@hono/zod-openapi';
import type { WorkInProgress } from './work-in-progress.ts';

/** Dependencies of {@link registerBusyRoute}. */
export interface BusyRouteDeps extends RouteGuard {
  readonly work: Pick<WorkInProgress, 'isBusy' | 'setReplaced'>;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

const busySchema = z.object({ busy: z.boolean() }).openapi('Busy');

/**
 * Registers the route by which the platform asks whether the instance may be suspended or stopped. Anyone can call it, so the answer
 * has no `until`, which would tell when a turn began, and no count. Source: docs/contract/control-plane.md §4.
 */
export function registerBusyRoute(app: AgentApp, { work, environment, ...guard }: BusyRouteDeps): void {
  routesOf(app, guard, 'Metadata')(`GET ${BUSY_PATH}`, 'getBusy', {
    access: 'public',
    summary: 'Get whether this instance has background work: a running turn or a task',
    responses: { 200: jsonResponse(busySchema, 'The platform keeps an instance that is busy') },
  }).handle((c) => {
    // Elsewhere than on the platform no gateway takes the header out of strangers' requests.
    if (environment['K_SERVICE'] !== undefined && c.req.header(REPLACED_HEADER) === '1') work.setReplaced();
    return c.json({ busy: work.isBusy }, 200, { 'Cache-Control': 'no-store' });
  });
}
