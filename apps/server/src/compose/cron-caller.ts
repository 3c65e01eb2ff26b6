import { request } from 'node:http';
import { createError, LIMITS } from '@berth/contract';
import type { CallCron } from '@berth/control';
import { signTimeout, TIMEOUT_HEADER } from '@berth/gateway';
import type { Clock } from '@berth/kit';

/** How the platform reaches its own services. */
export interface CronCallerOptions {
  readonly clock: Clock;
  /** What the plain port listens on: `localhost`, an address, or one that stands for all. */
  readonly host: string;
  readonly port: number;
  /** The gateway's secret: a call may take longer than the service's own timeout. */
  readonly gatewaySecret: Uint8Array;
  /** The address of a deployment. */
  urlOf(deployment: string): string;
}

/** A call arrives at the gateway at once; a signature that is found later is of no use. */
const SIGNATURE_MS = 60_000;

/**
 * Sends schedules' calls to the platform's own plain port, with the service's host: so they are ordinary requests, that
 * start a cold service, wait in its queue and are logged and billed, however the platform is spread over processes.
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
      // A connection each: none that the server has just closed is used again, and none is kept between two fires.
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
        else reject(createError('unavailable', 'its answer broke off'));
      });
      // What it says is for its own log.
      answer.resume();
    });
    call.end();
    return promise;
  };
}

/** An address that stands for all of the machine's can be listened on, not connected to. */
function connectAddress(host: string): string {
  if (host === 'localhost' || host === '0.0.0.0') return '127.0.0.1';
  return host === '::' ? '::1' : host;
}
