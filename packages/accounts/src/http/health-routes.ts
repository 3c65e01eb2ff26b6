import { jsonResponse } from '@berth/http';
import { BerthError, type Clock, describeError } from '@berth/kit';
import { createRoute, z } from '@hono/zod-openapi';
import type { Api } from './api.ts';

/** A check of something that the platform needs to serve. */
export interface ReadinessCheck {
  readonly name: string;
  /**
   * Throws when it can't be used; resolves to a sentence when it can but needs the operator. Anyone can read that sentence and the
   * message of a BerthError, so neither names a path or a tenant.
   */
  check(): Promise<string | undefined>;
}

/** A check that takes longer counts as failed. */
const CHECK_TIMEOUT_MS = 2_000;

const liveRoute = createRoute({
  method: 'get',
  path: '/healthz',
  operationId: 'getHealth',
  tags: ['System'],
  summary: 'The process is running',
  security: [],
  responses: { 200: jsonResponse(z.object({ status: z.literal('ok') }), 'It does') },
});

const readinessSchema = z
  .object({
    status: z.enum(['ok', 'unavailable']),
    checks: z.record(z.string(), z.enum(['ok', 'failed'])),
    details: z
      .record(z.string(), z.string())
      .optional()
      .openapi({ description: 'By check: why it fails, or a warning for the operator' }),
  })
  .openapi('Readiness');

const readyRoute = createRoute({
  method: 'get',
  path: '/readyz',
  operationId: 'getReadiness',
  tags: ['System'],
  summary: 'Check whether the platform can serve',
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
      checks.map(async ({ name, check }) => {
        try {
          return { name, result: 'ok' as const, detail: await withTimeout(check(), clock) };
        } catch (error) {
          const reason = BerthError.is(error) ? error.message : describeError(error);
          c.get('logger').warn({ check: name, error: reason }, 'not ready');
          const detail = BerthError.is(error) ? error.message : "No response. See the platform's log.";
          return { name, result: 'failed' as const, detail };
        }
      }),
    );
    const details = results.flatMap(({ name, detail }) => (detail === undefined ? [] : [[name, detail] as const]));
    const body = {
      checks: Object.fromEntries(results.map(({ name, result }) => [name, result])),
      ...(details.length > 0 ? { details: Object.fromEntries(details) } : {}),
    };
    if (results.every(({ result }) => result === 'ok')) return c.json({ status: 'ok' as const, ...body }, 200);
    return c.json({ status: 'unavailable' as const, ...body }, 503, { 'Retry-After': '1' });
  });
}

async function withTimeout<Result>(work: Promise<Result>, clock: Clock): Promise<Result> {
  const late = Promise.withResolvers<never>();
  const timer = clock.setTimer(CHECK_TIMEOUT_MS, () => late.reject(new Error('timed out')));
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    timer.cancel();
  }
}
