import { BudgetUsed, type Usage, type User } from '@berth/agent-core';
import { ownerKey, type UsageCount, type UsageStore } from '@berth/agent-store';
import type { Clock } from '@berth/kit';

/** A limit in tokens (input and output together), in US dollars, or both; the first one that is reached applies. */
export interface BudgetLimit {
  readonly tokens?: number;
  /** Needs prices: a model without one costs 0. */
  readonly usd?: number;
}

/**
 * Budgets of an agent. A turn is refused when a budget is used up, and ends before its next model call when that happens meanwhile.
 * Turns that run at the same time may each make one more call. Months are calendar months in UTC; their counts are stored, from the
 * first turn with the budget on.
 */
export interface BudgetOptions {
  /** One turn, with its sub-agents. */
  readonly perTurn?: BudgetLimit;
  /** One person in a month, over all workspaces. It does not apply to callers who did not sign in. */
  readonly perUser?: BudgetLimit;
  /** All turns in a month. */
  readonly perMonth?: BudgetLimit;
}

/** The budgets of an agent. */
export type Budgets = ReturnType<typeof createBudgets>;

/** The payer of all turns together. No person's key has this form. */
const EVERYBODY = '*';

const MICRO = 1_000_000;

/** A budget that is counted in the store. */
interface MonthlyBudget {
  readonly payer: string;
  readonly limit: BudgetLimit;
  say(from: string, until: string): string;
}

/** Creates the budgets of an agent. */
export function createBudgets(
  { perTurn, perUser, perMonth }: BudgetOptions,
  { store, clock }: { readonly store: UsageStore; readonly clock: Clock },
) {
  const monthlyOf = (user: User | undefined): readonly MonthlyBudget[] => [
    ...(user && perUser
      ? [
          {
            payer: ownerKey(user),
            limit: perUser,
            say: (from: string, until: string) =>
              `You have used your budget of ${describeLimit(perUser)} for ${from}. It resets on ${until}.`,
          },
        ]
      : []),
    ...(perMonth
      ? [
          {
            payer: EVERYBODY,
            limit: perMonth,
            say: (from: string, until: string) => `This agent has used its budget for ${from}. It resets on ${until}.`,
          },
        ]
      : []),
  ];
  const refuse = (budgets: readonly MonthlyBudget[], counts: readonly UsageCount[]) => {
    for (const [index, { limit, say }] of budgets.entries()) {
      const count = counts[index];
      if (!count || !isUsed(limit, count)) continue;
      const nowMs = clock.nowMs();
      const untilMs = nextMonth(nowMs);
      throw new BudgetUsed(say(MONTH.format(nowMs), DAY.format(untilMs)), {
        retryAfterSeconds: Math.ceil((untilMs - nowMs) / 1_000),
      });
    }
  };
  const find = (budgets: readonly MonthlyBudget[]) =>
    store.find(
      budgets.map(({ payer }) => payer),
      periodOf(clock.nowMs()),
    );

  return {
    /** Checks the budgets of the month before a turn. @throws BudgetUsed */
    async check(user: User | undefined): Promise<void> {
      const budgets = monthlyOf(user);
      if (budgets.length > 0) refuse(budgets, await find(budgets));
    },

    /** Returns the budgets of one turn. */
    open(user: User | undefined) {
      const budgets = monthlyOf(user);
      const payers = budgets.map(({ payer }) => payer);
      let counts: readonly UsageCount[] | undefined;
      let writing: Promise<unknown> = Promise.resolve();
      let turn: UsageCount = { tokens: 0, costMicroUsd: 0 };
      return {
        /** Counts a call of a model. */
        add({ inputTokens = 0, outputTokens = 0, costUsd = 0 }: Usage): void {
          const used = { tokens: countOf(inputTokens) + countOf(outputTokens), costMicroUsd: countOf(costUsd * MICRO) };
          turn = sum(turn, used);
          if (payers.length === 0) return;
          const write = writing.then(async () => {
            counts = await store.add(payers, periodOf(clock.nowMs()), used);
          });
          // The next check, or `settle`, throws what went wrong.
          write.catch(() => {});
          writing = write;
        },
        /** @throws BudgetUsed, and the store's error when a count can't be written. */
        async check(): Promise<void> {
          if (perTurn && isUsed(perTurn, turn)) {
            throw new BudgetUsed(`This turn has used its budget of ${describeLimit(perTurn)}.`);
          }
          if (budgets.length === 0) return;
          await writing;
          counts ??= await find(budgets);
          refuse(budgets, counts);
        },
        /** Resolves when all calls are counted. @throws the store's error. */
        settle: async (): Promise<void> => void (await writing),
      };
    },
  };
}

function isUsed({ tokens = Infinity, usd = Infinity }: BudgetLimit, count: UsageCount): boolean {
  return count.tokens >= tokens || count.costMicroUsd >= usd * MICRO;
}

/** A handler reports what it likes; NaN or a negative number would spoil the sum. */
function countOf(value: number): number {
  return Number.isFinite(value) ? Math.max(0, Math.round(value)) : 0;
}

function sum(a: UsageCount, b: UsageCount): UsageCount {
  return { tokens: a.tokens + b.tokens, costMicroUsd: a.costMicroUsd + b.costMicroUsd };
}

const NUMBER = new Intl.NumberFormat('en-US');
const MONTH = new Intl.DateTimeFormat('en-US', { month: 'long', year: 'numeric', timeZone: 'UTC' });
const DAY = new Intl.DateTimeFormat('en-US', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' });

function describeLimit({ tokens, usd }: BudgetLimit): string {
  const said = [
    ...(tokens === undefined ? [] : [`${NUMBER.format(tokens)} tokens`]),
    ...(usd === undefined ? [] : [`$${usd.toFixed(2)}`]),
  ];
  return said.join(' or ');
}

function periodOf(nowMs: number): string {
  return new Date(nowMs).toISOString().slice(0, 7);
}

function nextMonth(nowMs: number): number {
  const now = new Date(nowMs);
  return Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1);
}
