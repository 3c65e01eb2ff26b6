import type { Account } from '@berth/contract';
import type { AccountsTable } from '@berth/database';

/** An account's row as the contract shows it. */
export function toAccount(row: AccountsTable): Account {
  return { id: row.id, name: row.name, plan: row.plan, created_at: new Date(row.created_at).toISOString() };
}
