import type { Database } from '@berth/database';
import type { AccountId } from '@berth/kit';
import type { Kysely } from 'kysely';
import type { SkuId } from './skus.ts';

/** An amount of one SKU that was used by one resource on one day. */
export interface UsageRow {
  readonly account: AccountId;
  /** UTC, `YYYY-MM-DD`. */
  readonly day: string;
  /** Name of a deployment, or `volume/<name>`. */
  readonly resource: string;
  readonly sku: SkuId;
  /** In the SKU's unit. */
  readonly amount: number;
  readonly cost: number;
  readonly currency: string;
}

/** Days from and up to, both inclusive, UTC, `YYYY-MM-DD`. */
export interface DayRange {
  readonly from: string;
  readonly to: string;
}

/** Usage in the database. */
export type UsageStore = ReturnType<typeof createUsageStore>;

export function createUsageStore(db: Kysely<Database>) {
  return {
    /**
     * Adds to the existing rows, atomically.
     * @param guard throws, inside the transaction, when nothing may be added.
     */
    async add(
      rows: readonly UsageRow[],
      nowMs: number,
      guard?: (transaction: Kysely<Database>) => Promise<void>,
    ): Promise<void> {
      // In one order, so that servers that add to the same rows don't wait for each other in a circle.
      const ordered = rows.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
      await db.transaction().execute(async (transaction) => {
        await guard?.(transaction);
        for (const { account, day, resource, sku, amount, cost, currency } of ordered) {
          await transaction
            .insertInto('usage')
            .values({ account_id: account, day, resource, sku, amount, cost, currency, updated_at: nowMs })
            .onConflict((conflict) =>
              conflict.columns(['account_id', 'day', 'resource', 'sku', 'currency']).doUpdateSet((eb) => ({
                amount: eb('usage.amount', '+', eb.ref('excluded.amount')),
                cost: eb('usage.cost', '+', eb.ref('excluded.cost')),
                updated_at: eb.ref('excluded.updated_at'),
              })),
            )
            .execute();
        }
      });
    },
    /** The account's rows of those days, by day, resource and SKU. */
    async list(account: AccountId, { from, to }: DayRange): Promise<UsageRow[]> {
      const rows = await db
        .selectFrom('usage')
        .selectAll()
        .where('account_id', '=', account)
        .where('day', '>=', from)
        .where('day', '<=', to)
        .orderBy('day')
        .orderBy('resource')
        .orderBy('sku')
        .execute();
      return rows.map(({ day, resource, sku, amount, cost, currency }) => ({
        account,
        day,
        resource,
        sku: sku as SkuId,
        amount,
        cost,
        currency,
      }));
    },
    /** The account's sums over those days, by SKU; a SKU without use is absent. */
    async sums(
      account: AccountId,
      { from, to }: DayRange,
    ): Promise<ReadonlyMap<SkuId, { amount: number; cost: number }>> {
      const rows = await db
        .selectFrom('usage')
        .select((eb) => ['sku', eb.fn.sum<number>('amount').as('amount'), eb.fn.sum<number>('cost').as('cost')])
        .where('account_id', '=', account)
        .where('day', '>=', from)
        .where('day', '<=', to)
        .groupBy('sku')
        .execute();
      return new Map(
        rows.map(({ sku, amount, cost }) => [sku as SkuId, { amount: Number(amount), cost: Number(cost) }]),
      );
    },
  };
}

function keyOf({ account, day, resource, sku }: UsageRow): string {
  return `${account} ${day} ${resource} ${sku}`;
}
