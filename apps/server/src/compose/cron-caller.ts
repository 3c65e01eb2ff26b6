import { request } from 'node:http';
import { createError, LIMITS } from '@berth/contract';
import type { CallCron } from '@berth/control';
import { signTimeout, TIMEOUT_HEADER } from '@berth/gateway';
import type { Clock } from '@berth/kit';

/** Options of {@link createCronCaller}. */
export interface CronCallerOptions {
  readonly clock: Clock;
  /** The host of the plain port: `localhost`, an address, or an unspecified address such as `0.0.0.0`. */
  readonly host: string;
  readonly port: number;
  /** The gateway's secret. It signs the timeout of a call, which may be longer than the service's own. */
  readonly gatewaySecret: Uint8Array;
  /** Returns the URL of a deployment. */
  urlOf(deployment: string): string;
}

/** A call reaches the gateway at once, so a leaked signature soon expires. */
const SIGNATURE_MS = 60_000;

/**
 * Creates the caller of schedules. It sends requests to the platform's own plain port with the service's host, so they are ordinary
 * requests: they start a cold service, wait in its queue, and are logged and billed, with or without gateway workers.
 */
export function createCronCaller({ clock, host, port, gatewaySecret, urlOf }: CronCallerOptions): CallCron {
  return ({ deployment, token, attempt, scheduledAtMs, signal }) => {
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    const grant = { deployment, timeoutMs: LIMITS.scheduleCallMs, expiresAtMs: clock.nowMs() + SIGNATURE_MS };
    const call = request({
      host: connectAddress(host),
      port,
      method: 'POST',
      path: '/cron',
      // A new connection for each call: the server may have just closed a kept one.
      agent: false,
      signal,
      headers: {
        Host: new URL(urlOf(deployment)).host,
        'Content-Length': '0',
        'User-Agent': 'Berth-Cron',
        'X-Cron-Token': token,
        'X-Cron-Attempt': String(attempt),
        'X-Cron-Scheduled-Time': new Date(scheduledAtMs).toISOString(),
        [TIMEOUT_HEADER]: signTimeout(gatewaySecret, grant),
      },
    });
    call.on('error', reject);
    call.on('response', (answer) => {
      answer.on('error', reject);
      answer.on('close', () => {
        if (answer.complete) resolve(answer.statusCode ?? 0);
        else reject(createError('unavailable', 'the response was cut off'));
      });
      // The body is not needed.
      answer.resume();
    });
    call.end();
    return promise;
  };
}

/** Returns an address to connect to: an unspecified address can only be listened on. */
function connectAddress(host: string): string {
  if (host === 'localhost' || host === '0.0.0.0') return '127.0.0.1';
  return host === '::' ? '::1' : host;
}
