import type { AgentDatabase } from '../database/agent-database.ts';
import type { UsageStore } from '../ports/usage-store.ts';

/** Creates the store of usage counts. */
export function createUsageStore({ db }: AgentDatabase): UsageStore {
  const inOrder = (
    payers: readonly string[],
    rows: readonly { readonly payer: string; readonly tokens: number; readonly cost_micro_usd: number }[],
  ) =>
    payers.map((payer) => {
      const row = rows.find((one) => one.payer === payer);
      return { tokens: row?.tokens ?? 0, costMicroUsd: row?.cost_micro_usd ?? 0 };
    });
  return {
    async add(payers, period, { tokens, costMicroUsd }) {
      if (payers.length === 0) return [];
      const rows = await db
        .insertInto('usage_counts')
        .values(payers.map((payer) => ({ payer, period, tokens, cost_micro_usd: costMicroUsd })))
        .onConflict((conflict) =>
          conflict.columns(['payer', 'period']).doUpdateSet((eb) => ({
            tokens: eb('usage_counts.tokens', '+', tokens),
            cost_micro_usd: eb('usage_counts.cost_micro_usd', '+', costMicroUsd),
          })),
        )
        .returning(['payer', 'tokens', 'cost_micro_usd'])
        .execute();
      return inOrder(payers, rows);
    },
    async find(payers, period) {
      if (payers.length === 0) return [];
      const rows = await db
        .selectFrom('usage_counts')
        .selectAll()
        .where('payer', 'in', [...payers])
        .where('period', '=', period)
        .execute();
      return inOrder(payers, rows);
    },
  };
}
