/** Usage of model calls. */
export interface UsageCount {
  /** Input and output together. */
  readonly tokens: number;
  /** Millionths of a US dollar. */
  readonly costMicroUsd: number;
}

/** Counts of usage, by payer and period. */
export interface UsageStore {
  /**
   * Adds to the counts of all these payers, and returns them after it, in the order of `payers`. Calls of several instances at the
   * same time all count.
   * @param period e.g. `2026-11`.
   */
  add(payers: readonly string[], period: string, used: UsageCount): Promise<readonly UsageCount[]>;
  /** Returns the count of each payer; zeros for one that used nothing. */
  find(payers: readonly string[], period: string): Promise<readonly UsageCount[]>;
}
