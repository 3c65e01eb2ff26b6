import type { AccountId } from '@berth/kit';
import type { SetUpStatement } from '@berth/logstore';
import { SKUS } from '../../metering/skus.ts';
import type { UsageRow, UsageStore } from '../../metering/usage-store.ts';

/** Columns of `billing`, in order. Source: docs/contract/control-plane.md §7. */
const COLUMNS = JSON.stringify([
  {
    usage_start_time: 'TIMESTAMP WITH TIME ZONE',
    usage_end_time: 'TIMESTAMP WITH TIME ZONE',
    service: { description: 'VARCHAR' },
    sku: { description: 'VARCHAR' },
    resource: { name: 'VARCHAR' },
    usage: { amount: 'DOUBLE', unit: 'VARCHAR' },
    cost: 'DOUBLE',
    currency: 'VARCHAR',
  },
]);

/** All days. */
const ALL_DAYS = { from: '0000-01-01', to: '9999-12-31' };
const DAY_MS = 86_400_000;

/** Returns the statement that creates an account's `billing` relation: a row for each resource, SKU and UTC day. */
export async function billingRelation(store: Pick<UsageStore, 'list'>, account: AccountId): Promise<SetUpStatement> {
  const rows = (await store.list(account, ALL_DAYS)).map(toRow);
  return {
    relation: 'billing',
    sql: `CREATE OR REPLACE TABLE billing AS SELECT row.* FROM (SELECT unnest(from_json($1::JSON, '${COLUMNS}')) AS row)`,
    values: [JSON.stringify(rows)],
  };
}

function toRow({ day, resource, sku, amount, cost, currency }: UsageRow) {
  const startMs = Date.parse(`${day}T00:00:00Z`);
  const { description, unit } = SKUS[sku];
  return {
    usage_start_time: new Date(startMs).toISOString(),
    usage_end_time: new Date(startMs + DAY_MS).toISOString(),
    service: { description: 'Berth' },
    sku: { description },
    resource: { name: resource },
    usage: { amount, unit },
    cost,
    currency,
  };
}
