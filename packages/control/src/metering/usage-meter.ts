import type { Database } from '@berth/database';
import { type AccountId, createLimiter, describeError } from '@berth/kit';
import type { Kysely } from 'kysely';
import type { ControlContext } from '../context/control-context.ts';
import type { PriceBook } from './price-book.ts';
import type { SkuId } from './skus.ts';
import type { UsageRow, UsageStore } from './usage-store.ts';

/** A use of a resource. */
export interface Use {
  readonly account: AccountId;
  /** Name of a deployment, or `volume/<name>`. */
  readonly resource: string;
  readonly sku: SkuId;
  /** In the SKU's unit; never negative. */
  readonly amount: number;
}

export interface CreateUsageMeterOptions extends Pick<ControlContext, 'clock' | 'logger'> {
  readonly store: UsageStore;
  readonly prices: PriceBook;
}

/** Together with the gateway's tick of 2 s it stays under the 10 s that a crash may lose. Source: docs/contract/control-plane.md §8. */
export const FLUSH_MS = 5_000;

/** The sums of one resource on one day. */
interface Tally {
  readonly account: AccountId;
  readonly resource: string;
  readonly day: string;
  readonly amounts: Map<SkuId, number>;
}

/**
 * Sums usage and writes it every few seconds.
 * M1: recorded usage is written exactly once, also when writing fails for a while: it is kept and retried.
 * M2: a crash loses the usage of the last {@link FLUSH_MS} at most.
 * M3: usage is priced by the price book of its moment, so a new book changes no earlier bill.
 */
export type UsageMeter = ReturnType<typeof createUsageMeter>;

export function createUsageMeter({ store, clock, logger, prices }: CreateUsageMeterOptions) {
  let tallies = new Map<string, Tally>();
  let isClosed = false;
  const writes = createLimiter({ concurrency: 1 });

  const add = ({ account, resource, sku, amount }: Use, day: string, to = tallies) => {
    const key = `${account}/${day}/${resource}`;
    let tally = to.get(key);
    if (!tally) {
      tally = { account, resource, day, amounts: new Map() };
      to.set(key, tally);
    }
    tally.amounts.set(sku, (tally.amounts.get(sku) ?? 0) + amount);
  };

  const flush = () =>
    writes.run(async () => {
      const taken = tallies;
      if (taken.size === 0) return;
      tallies = new Map();
      try {
        await store.add(toRows(taken.values(), prices), clock.nowMs());
      } catch (error) {
        for (const { account, resource, day, amounts } of taken.values()) {
          for (const [sku, amount] of amounts) add({ account, resource, sku, amount }, day);
        }
        throw error;
      }
    });

  const tick = () => {
    if (isClosed) return;
    flush()
      .catch((error: unknown) =>
        logger.error({ error: describeError(error) }, 'usage could not be written; will retry'),
      )
      .finally(() => {
        if (!isClosed) timer = clock.setTimer(FLUSH_MS, tick);
      });
  };
  let timer = clock.setTimer(FLUSH_MS, tick);

  return {
    /** Records usage in memory; cheap enough for every request. */
    record(use: Use): void {
      if (use.amount > 0) add(use, utcDay(clock.nowMs()));
    },
    /**
     * Writes uses at `nowMs` at once.
     * @param guard throws, inside the transaction, when nothing may be written.
     */
    async write(
      uses: readonly Use[],
      nowMs: number,
      guard: (transaction: Kysely<Database>) => Promise<void>,
    ): Promise<void> {
      const own = new Map<string, Tally>();
      for (const use of uses) if (use.amount > 0) add(use, utcDay(nowMs), own);
      await store.add(toRows(own.values(), prices), nowMs, guard);
    },
    /** Writes everything recorded before the call. @throws what the database throws; nothing is lost. */
    flush,
    /** Writes the rest. Idempotent. */
    async close(): Promise<void> {
      isClosed = true;
      timer.cancel();
      await flush();
    },
  };
}

const DAY_MS = 86_400_000;
/** The day that was asked for last: each request asks. */
let lastDay = { number: Number.NaN, text: '' };

/** UTC day of an epoch time, `YYYY-MM-DD`. */
export function utcDay(epochMs: number): string {
  const number = Math.floor(epochMs / DAY_MS);
  if (number !== lastDay.number) lastDay = { number, text: new Date(epochMs).toISOString().slice(0, 10) };
  return lastDay.text;
}

function toRows(tallies: Iterable<Tally>, { currency, prices }: PriceBook): UsageRow[] {
  const rows: UsageRow[] = [];
  for (const { account, resource, day, amounts } of tallies) {
    for (const [sku, amount] of amounts) {
      rows.push({ account, resource, day, sku, amount, cost: amount * prices[sku], currency });
    }
  }
  return rows;
}
