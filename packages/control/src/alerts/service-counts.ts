import type { Database } from '@berth/database';
import type { GatewayEvents } from '@berth/gateway';
import type { Kysely } from 'kysely';
import type { ControlContext } from '../context/control-context.ts';

/** Width of a step. Windows of rules are multiples of it, within a step. */
export const STEP_MS = 10_000;
/** Longer than any window. */
const KEPT_STEPS = 720;
/** Neighboring buckets of latency differ by a tenth. */
const BUCKET_RATIO = 1.1;

/** Requests, errors and crashes of a deployment in a window. */
export interface WindowCounts {
  readonly requests: number;
  readonly errors: number;
  readonly crashes: number;
  /** In milliseconds, within a tenth; null without a request. */
  readonly p95Ms: number | null;
}

interface Tally {
  readonly account: string;
  readonly deployment: string;
  readonly step: number;
  requests: number;
  errors: number;
  crashes: number;
  readonly latencies: Record<string, number>;
}

/**
 * Counts requests and crashes of the accounts that have rules, for all servers together.
 * S1: a server writes rows of its own, so servers add up without reading each other's.
 * S2: kill -9 loses the counts of the last {@link STEP_MS} at most.
 * S3: accounts without rules cost nothing.
 */
export type ServiceCounts = ReturnType<typeof createServiceCounts>;

export function createServiceCounts({
  db,
  clock,
  server,
}: Pick<ControlContext, 'db' | 'clock'> & { readonly server: string }) {
  let watched: ReadonlySet<string> = new Set();
  const tallies = new Map<string, Tally>();
  const stepNow = () => Math.floor(clock.nowMs() / STEP_MS);

  const tallyOf = (account: string, deployment: string): Tally | undefined => {
    if (!watched.has(account)) return undefined;
    const step = stepNow();
    const key = `${deployment} ${step}`;
    let tally = tallies.get(key);
    if (!tally) {
      tally = { account, deployment, step, requests: 0, errors: 0, crashes: 0, latencies: {} };
      tallies.set(key, tally);
    }
    return tally;
  };

  return {
    gatewayListener: {
      onRequest({ account, deployment, status, latencyMs }) {
        const tally = tallyOf(account, deployment);
        if (!tally) return;
        tally.requests++;
        if (status >= 500) tally.errors++;
        // A WebSocket lasts as long as its client wants; that says nothing about the service.
        if (status === 101) return;
        const bucket = Math.ceil(Math.log(Math.max(1, latencyMs)) / Math.log(BUCKET_RATIO));
        tally.latencies[bucket] = (tally.latencies[bucket] ?? 0) + 1;
      },
      onInstance(event) {
        if (event.kind !== 'crashed' && event.kind !== 'start_failed') return;
        const tally = tallyOf(event.account, event.deployment);
        if (tally) tally.crashes++;
      },
    } satisfies Pick<GatewayEvents, 'onRequest' | 'onInstance'>,

    /** Sets the accounts to count for. */
    watch(accounts: ReadonlySet<string>): void {
      watched = accounts;
    },

    /** Writes what was counted. Rows are overwritten with the whole step, so writing twice counts once. */
    async flush(): Promise<void> {
      const current = stepNow();
      for (const [key, tally] of [...tallies]) {
        const { account, deployment, step, requests, errors, crashes } = tally;
        const counts = { requests, errors, crashes, latencies: JSON.stringify(tally.latencies) };
        await db
          .insertInto('service_counts')
          .values({ deployment, step, server, account_id: account, ...counts })
          .onConflict((conflict) => conflict.columns(['deployment', 'step', 'server']).doUpdateSet(counts))
          .execute();
        if (step < current) tallies.delete(key);
      }
    },

    /** Removes counts that no window can reach. */
    async prune(): Promise<void> {
      await db
        .deleteFrom('service_counts')
        .where('step', '<', stepNow() - KEPT_STEPS)
        .execute();
    },

    /** Sums the last `windowMs` of an account, by deployment. */
    async read(
      account: string,
      windowMs: number,
      from: Kysely<Database> = db,
    ): Promise<ReadonlyMap<string, WindowCounts>> {
      const rows = await from
        .selectFrom('service_counts')
        .selectAll()
        .where('account_id', '=', account)
        .where('step', '>', stepNow() - Math.ceil(windowMs / STEP_MS))
        .execute();
      const groups = Map.groupBy(rows, ({ deployment }) => deployment);
      return new Map([...groups].map(([deployment, own]) => [deployment, sumUp(own)]));
    },
  };
}

function sumUp(
  rows: readonly { requests: number; errors: number; crashes: number; latencies: string }[],
): WindowCounts {
  const sum = (column: 'requests' | 'errors' | 'crashes') => rows.reduce((total, row) => total + row[column], 0);
  const buckets = new Map<number, number>();
  for (const { latencies } of rows) {
    for (const [bucket, count] of Object.entries(JSON.parse(latencies) as Record<string, number>)) {
      buckets.set(Number(bucket), (buckets.get(Number(bucket)) ?? 0) + count);
    }
  }
  return { requests: sum('requests'), errors: sum('errors'), crashes: sum('crashes'), p95Ms: p95(buckets) };
}

function p95(buckets: ReadonlyMap<number, number>): number | null {
  const sorted = [...buckets].sort(([a], [b]) => a - b);
  let left = Math.ceil(sorted.reduce((total, [, count]) => total + count, 0) * 0.95);
  for (const [bucket, count] of sorted) {
    left -= count;
    if (left <= 0) return Math.round(BUCKET_RATIO ** bucket);
  }
  return null;
}
