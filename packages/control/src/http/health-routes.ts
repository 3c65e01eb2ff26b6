import { describeError } from '@berth/kit';
import type { Api } from './api.ts';

/** Something the platform needs to serve; `check` throws when it can't be used. */
export interface ReadinessCheck {
  readonly name: string;
  check(): Promise<void>;
}

/** A check that takes longer has failed. */
const CHECK_TIMEOUT_MS = 2_000;

/** `GET /healthz`: the process runs. `GET /readyz`: every check passes, else 503 naming those that don't. No credential. */
export function registerHealthRoutes(api: Api, checks: readonly ReadinessCheck[]): void {
  api.get('/healthz', (c) => c.json({ status: 'ok' }));
  api.get('/readyz', async (c) => {
    const results = await Promise.all(
      checks.map(async ({ name, check }) => {
        try {
          await Promise.race([check(), expire()]);
          return [name, 'ok'] as const;
        } catch (error) {
          c.get('logger').warn({ check: name, error: describeError(error) }, 'not ready');
          return [name, 'failed'] as const;
        }
      }),
    );
    const isReady = results.every(([, result]) => result === 'ok');
    const body = { status: isReady ? 'ok' : 'unavailable', checks: Object.fromEntries(results) };
    return isReady ? c.json(body) : c.json(body, 503, { 'Retry-After': '1' });
  });
}

function expire(): Promise<never> {
  return new Promise((_resolve, reject) => {
    AbortSignal.timeout(CHECK_TIMEOUT_MS).addEventListener('abort', () => reject(new Error('timed out')));
  });
}
