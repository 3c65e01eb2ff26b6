import type { Reconciliation } from '@berth/contract';
import type { Database } from '@berth/database';
import type { AccountId } from '@berth/kit';
import type { SqlRunner } from '@berth/logstore';
import type { Kysely } from 'kysely';
import type { UsageStore } from '../../metering/usage-store.ts';

type Row = Reconciliation['off'][number];

export interface ReconcileDeps {
  readonly db: Kysely<Database>;
  readonly usage: Pick<UsageStore, 'list'>;
  readonly sql: Pick<SqlRunner, 'run'>;
}

/** The tolerated difference: requests around a crash may be in one source and not in the other. */
const TOLERANCE_RATIO = 0.01;

/**
 * Compares metered usage with the request log, account by account: two independent records of the same requests, which must
 * agree. Instances' time has no second source.
 * @param from first UTC day, `YYYY-MM-DD`.
 */
export async function reconcile(
  { db, usage, sql }: ReconcileDeps,
  from: string,
  signal: AbortSignal,
): Promise<Reconciliation> {
  const off: Row[] = [];
  let checked = 0;
  for (const { id, name } of await db.selectFrom('accounts').select(['id', 'name']).execute()) {
    const account = id as AccountId;
    const pairs = new Map<string, Row>();
    const pairOf = (day: string, resource: string, sku: Row['sku']) => {
      const key = `${day} ${sku} ${resource}`;
      const pair = pairs.get(key) ?? { account: name, day, resource, sku, metered: 0, logged: 0 };
      pairs.set(key, pair);
      return pair;
    };
    for (const { day, resource, sku, amount } of await usage.list(account, { from, to: '9999-12-31' })) {
      if (sku === 'requests' || sku === 'egress') pairOf(day, resource, sku).metered += amount;
    }
    for (const row of JSON.parse(await sql.run(account, loggedQuery(from), signal)) as LoggedRow[]) {
      pairOf(row.day, row.resource, 'requests').logged += row.requests;
      pairOf(row.day, row.resource, 'egress').logged += row.egress;
    }
    checked += pairs.size;
    for (const pair of pairs.values()) if (isOff(pair)) off.push(pair);
  }
  return { checked, off };
}

interface LoggedRow {
  readonly day: string;
  readonly resource: string;
  readonly requests: number;
  readonly egress: number;
}

function loggedQuery(from: string): string {
  return `SELECT strftime(timestamp, '%Y-%m-%d') AS day, JSON_VALUE(resource.labels, '$.service_name') AS resource,
  COUNT(*) AS requests, SUM(http_request.response_size) AS egress
FROM logs WHERE log_name = 'requests' AND timestamp >= TIMESTAMPTZ '${from}' GROUP BY 1, 2`;
}

function isOff({ metered, logged }: Row): boolean {
  return Math.abs(metered - logged) > TOLERANCE_RATIO * Math.max(metered, logged);
}
