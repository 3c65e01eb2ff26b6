import type { Account } from '@berth/contract';
import type { AccountsTable } from '@berth/database';

/** Maps an account's row to the API's shape. */
export function toAccount(row: AccountsTable): Account {
  return { id: row.id, name: row.name, plan: row.plan, created_at: new Date(row.created_at).toISOString() };
}
