import { jsonResponse } from '@berth/http';
import { type Clock, createDeferred, describeError } from '@berth/kit';
import { createRoute, z } from '@hono/zod-openapi';
import type { Api } from './api.ts';

/** Something the platform needs to serve; `check` throws when it can't be used. */
export interface ReadinessCheck {
  readonly name: string;
  check(): Promise<void>;
}

/** A check that takes longer has failed. */
const CHECK_TIMEOUT_MS = 2_000;

const liveRoute = createRoute({
  method: 'get',
  path: '/healthz',
  operationId: 'getHealth',
  tags: ['System'],
  summary: 'The process runs',
  security: [],
  responses: { 200: jsonResponse(z.object({ status: z.literal('ok') }), 'It does') },
});

const readinessSchema = z
  .object({ status: z.enum(['ok', 'unavailable']), checks: z.record(z.string(), z.enum(['ok', 'failed'])) })
  .openapi('Readiness');

const readyRoute = createRoute({
  method: 'get',
  path: '/readyz',
  operationId: 'getReadiness',
  tags: ['System'],
  summary: 'The platform can serve',
  security: [],
  responses: {
    200: jsonResponse(readinessSchema, 'Every check passes'),
    503: jsonResponse(readinessSchema, 'A check fails'),
  },
});

/** `GET /healthz` and `GET /readyz`, which ask for no credential. */
export function registerHealthRoutes(api: Api, checks: readonly ReadinessCheck[], clock: Clock): void {
  api.openapi(liveRoute, (c) => c.json({ status: 'ok' as const }, 200));
  api.openapi(readyRoute, async (c) => {
    const results = await Promise.all(
      checks.map(async ({ name, check }): Promise<[name: string, result: 'ok' | 'failed']> => {
        try {
          await withTimeout(check(), clock);
          return [name, 'ok'];
        } catch (error) {
          c.get('logger').warn({ check: name, error: describeError(error) }, 'not ready');
          return [name, 'failed'];
        }
      }),
    );
    if (results.every(([, result]) => result === 'ok')) {
      return c.json({ status: 'ok' as const, checks: Object.fromEntries(results) }, 200);
    }
    const body = { status: 'unavailable' as const, checks: Object.fromEntries(results) };
    return c.json(body, 503, { 'Retry-After': '1' });
  });
}

async function withTimeout(work: Promise<void>, clock: Clock): Promise<void> {
  const late = createDeferred();
  const timer = clock.setTimer(CHECK_TIMEOUT_MS, () => late.reject(new Error('timed out')));
  try {
    await Promise.race([work, late.promise]);
  } finally {
    timer.cancel();
  }
}
