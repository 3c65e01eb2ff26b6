import type { PeriodUsage, Subscription } from '@berth/contract';
import type { AccountId } from '@berth/kit';
import type { ControlContext } from '../../context/control-context.ts';
import type { SkuId } from '../../metering/skus.ts';
import { type UsageMeter, utcDay } from '../../metering/usage-meter.ts';
import { createUsageStore } from '../../metering/usage-store.ts';
import type { Entitlements } from '../plans/entitlements.ts';

export interface CreateSubscriptionsOptions extends Pick<ControlContext, 'db' | 'clock'> {
  readonly meter: Pick<UsageMeter, 'flush'>;
  readonly entitlements: Pick<Entitlements, 'planOf'>;
  /** ISO 4217. */
  readonly currency: string;
}

/** Accounts' plans and their usage. */
export type Subscriptions = ReturnType<typeof createSubscriptions>;

export function createSubscriptions(options: CreateSubscriptionsOptions) {
  const { db, clock, meter, entitlements, currency } = options;
  const store = createUsageStore(db);

  async function usageOf(account: AccountId, period: BillingPeriod): Promise<PeriodUsage> {
    const days = { from: utcDay(period.startMs), to: utcDay(period.endMs - 1) };
    const sums = await store.sums(account, days);
    const amount = (sku: SkuId) => sums.get(sku)?.amount ?? 0;
    let cost = 0;
    for (const sum of sums.values()) cost += sum.cost;
    return {
      cpu_seconds: amount('cpu'),
      memory_gib_seconds: amount('memory'),
      requests: amount('requests'),
      egress_bytes: amount('egress'),
      storage_gib_months: amount('storage'),
      build_seconds: amount('build'),
      cost,
    };
  }

  return {
    /** Returns the answer of `GET /v1/user/subscription`. It includes requests at once, running time within two seconds. */
    async get(account: AccountId): Promise<Subscription> {
      await meter.flush();
      const { name, limits } = await entitlements.planOf(db, account);
      const row = await db.selectFrom('subscriptions').selectAll().where('account_id', '=', account).executeTakeFirst();
      const period =
        row?.period_start && row.period_end
          ? { startMs: row.period_start, endMs: row.period_end }
          : monthOf(clock.nowMs());
      return {
        plan: name,
        status: row?.status ?? 'active',
        currency,
        current_period_start: new Date(period.startMs).toISOString(),
        current_period_end: new Date(period.endMs).toISOString(),
        cancel_at_period_end: row?.cancel_at_period_end === 1,
        limits,
        usage: await usageOf(account, period),
      };
    },
  };
}

/** A span of time that is billed together. */
export interface BillingPeriod {
  /** Epoch milliseconds, wall clock, inclusive. */
  readonly startMs: number;
  /** Epoch milliseconds, wall clock, exclusive. */
  readonly endMs: number;
}

/** Returns the calendar month of a moment, UTC. */
export function monthOf(nowMs: number): BillingPeriod {
  const now = new Date(nowMs);
  const year = now.getUTCFullYear();
  const month = now.getUTCMonth();
  return { startMs: Date.UTC(year, month, 1), endMs: Date.UTC(year, month + 1, 1) };
}
