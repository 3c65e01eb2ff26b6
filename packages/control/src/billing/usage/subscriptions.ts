import type { PeriodUsage, Subscription } from '@berth/contract';
import type { Database } from '@berth/database';
import type { AccountId, Clock } from '@berth/kit';
import type { Kysely } from 'kysely';
import type { SkuId } from '../../metering/skus.ts';
import { type UsageMeter, utcDay } from '../../metering/usage-meter.ts';
import { createUsageStore } from '../../metering/usage-store.ts';
import type { Entitlements } from '../plans/entitlements.ts';
import { type BillingPeriod, monthOf } from './billing-period.ts';

/** Accounts' plans and their usage. */
export interface Subscriptions {
  /** Returns the answer of `GET /v1/user/subscription`. It includes requests at once, running time within two seconds. */
  get(account: AccountId): Promise<Subscription>;
}

export interface CreateSubscriptionsOptions {
  readonly db: Kysely<Database>;
  readonly clock: Clock;
  readonly meter: Pick<UsageMeter, 'flush'>;
  readonly entitlements: Pick<Entitlements, 'planOf'>;
  /** ISO 4217. */
  readonly currency: string;
}

export function createSubscriptions(options: CreateSubscriptionsOptions): Subscriptions {
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
    async get(account) {
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
