import { ACTIVITY_WINDOWS, type Activity, type ActivityWindow } from '@berth/contract';
import type { GatewayEvents } from '@berth/gateway';
import { type AccountId, describeError } from '@berth/kit';
import type { SqlRunner } from '@berth/logstore';
import type { ControlContext } from '../context/control-context.ts';
import { createLatencies, type Latencies } from './latencies.ts';
import { createStepCounts, type StepCounts } from './step-counts.ts';

/**
 * Requests and errors of all deployments over the last hour and day, in memory: a list of a thousand deployments with a
 * sparkline each is one quick call. Requests before the start of the process are counted once per account, from the request log.
 */
export interface RequestActivity {
  readonly gatewayListener: Pick<GatewayEvents, 'onRequest'>;
  /** Returns the account's deployments by name. Those without a request in the window are left out. */
  list(account: AccountId, window: ActivityWindow): Activity;
  /** Stops counting in the background. Idempotent. */
  close(): Promise<void>;
}

export interface CreateActivityOptions extends Pick<ControlContext, 'clock' | 'logger'> {
  readonly sql: Pick<SqlRunner, 'run'>;
}

type Tally = Readonly<Record<ActivityWindow, StepCounts>> & { readonly latencies: Latencies };

interface AccountActivity {
  readonly deployments: Map<string, Tally>;
  past: 'unknown' | 'counting' | 'known';
  /** When counting failed last, on the monotonic clock. */
  failedAtMs: number;
}

const WINDOWS = Object.entries(ACTIVITY_WINDOWS) as [ActivityWindow, { stepMs: number; steps: number }][];
const RETRY_MS = 60_000;
const SWEEP_MS = 3_600_000;

export function createRequestActivity({ clock, logger, sql }: CreateActivityOptions): RequestActivity {
  const accounts = new Map<string, AccountActivity>();
  const beganAtMs = clock.nowMs();
  const closing = new AbortController();
  const running = new Set<Promise<void>>();
  let sweptAtMs = clock.monotonicMs();

  const ofAccount = (account: string): AccountActivity => {
    let found = accounts.get(account);
    if (!found) {
      found = { deployments: new Map(), past: 'unknown', failedAtMs: Number.NEGATIVE_INFINITY };
      accounts.set(account, found);
    }
    return found;
  };

  const tallyOf = ({ deployments }: AccountActivity, name: string): Tally => {
    let tally = deployments.get(name);
    if (!tally) {
      tally = {
        '1h': createStepCounts(ACTIVITY_WINDOWS['1h'].steps),
        '24h': createStepCounts(ACTIVITY_WINDOWS['24h'].steps),
        latencies: createLatencies(),
      };
      deployments.set(name, tally);
    }
    return tally;
  };

  /** Removes deployments without a request for a day, once an hour. */
  const sweep = (): void => {
    const nowMs = clock.monotonicMs();
    if (nowMs - sweptAtMs < SWEEP_MS) return;
    sweptAtMs = nowMs;
    const { stepMs, steps } = ACTIVITY_WINDOWS['24h'];
    const oldest = Math.floor(clock.nowMs() / stepMs) - steps;
    for (const { deployments } of accounts.values()) {
      for (const [name, tally] of deployments) if (tally['24h'].newestStep <= oldest) deployments.delete(name);
    }
  };

  const countPast = async (account: string, activity: AccountActivity): Promise<void> => {
    activity.past = 'counting';
    try {
      const rows = JSON.parse(await sql.run(account, pastQuery(beganAtMs), closing.signal)) as PastRow[];
      for (const { name, start_ms, requests, errors } of rows) {
        const tally = tallyOf(activity, name);
        for (const [window, { stepMs }] of WINDOWS) {
          tally[window].add(Math.floor(start_ms / stepMs), requests, errors);
        }
      }
      activity.past = 'known';
    } catch (error) {
      activity.past = 'unknown';
      activity.failedAtMs = clock.monotonicMs();
      if (closing.signal.aborted) return;
      logger.warn({ accountId: account, error: describeError(error) }, 'requests before the start are not counted yet');
    }
  };

  return {
    gatewayListener: {
      onRequest({ account, deployment, status, latencyMs }) {
        sweep();
        // The time at which the request ended, as in the request log.
        const nowMs = clock.nowMs();
        const tally = tallyOf(ofAccount(account), deployment);
        const errors = status >= 500 ? 1 : 0;
        // A WebSocket lasts as long as its client wants; that says nothing about the service.
        if (status !== 101) tally.latencies.add(nowMs, latencyMs);
        for (const [window, { stepMs }] of WINDOWS) tally[window].add(Math.floor(nowMs / stepMs), 1, errors);
      },
    },
    list(account, window) {
      const activity = ofAccount(account);
      if (activity.past === 'unknown' && clock.monotonicMs() - activity.failedAtMs >= RETRY_MS) {
        const counting = countPast(account, activity).finally(() => running.delete(counting));
        running.add(counting);
      }
      const { stepMs, steps } = ACTIVITY_WINDOWS[window];
      const lastStep = Math.floor(clock.nowMs() / stepMs);
      const deployments = [...activity.deployments]
        .filter(([, tally]) => tally[window].newestStep > lastStep - steps)
        .map(([name, tally]) => ({
          name,
          ...tally[window].read(lastStep),
          p95_ms: tally.latencies.p95(clock.nowMs()),
        }))
        .sort((a, b) => (a.name < b.name ? -1 : 1));
      return {
        start: new Date((lastStep - steps + 1) * stepMs).toISOString(),
        step_seconds: stepMs / 1_000,
        is_complete: activity.past === 'known',
        deployments,
      };
    },
    async close() {
      closing.abort();
      await Promise.all(running);
    },
  };
}

interface PastRow {
  readonly name: string;
  readonly start_ms: number;
  readonly requests: number;
  readonly errors: number;
}

/** Groups the last hour by minute and the day before by quarter of an hour: minutes throughout would exceed the row limit. */
function pastQuery(untilMs: number): string {
  const { '1h': hour, '24h': day } = ACTIVITY_WINDOWS;
  const until = new Date(untilMs).toISOString();
  const from = new Date(untilMs - day.stepMs * day.steps).toISOString();
  const fine = new Date(Math.floor((untilMs - hour.stepMs * hour.steps) / day.stepMs) * day.stepMs).toISOString();
  const bucket = (stepMs: number) =>
    `time_bucket(INTERVAL ${stepMs / 1_000} SECOND, timestamp, TIMESTAMPTZ '1970-01-01 00:00:00+00')`;
  return `SELECT resource.labels.service_name AS name,
  epoch_ms(CASE WHEN timestamp >= TIMESTAMPTZ '${fine}' THEN ${bucket(hour.stepMs)} ELSE ${bucket(day.stepMs)} END) AS start_ms,
  count(*) AS requests, count(*) FILTER (http_request.status >= 500) AS errors
FROM logs
WHERE log_name = 'requests' AND timestamp >= TIMESTAMPTZ '${from}' AND timestamp < TIMESTAMPTZ '${until}'
GROUP BY 1, 2`;
}
