/** A share of a revision other than the current one, which gets the rest. */
export interface TrafficSharesTable {
  readonly account_id: string;
  readonly deployment: string;
  readonly revision: string;
  /** A whole number from 0 to 100. */
  percent: number;
}

/** A revision with an address of its own. */
export interface TrafficTagsTable {
  readonly account_id: string;
  readonly deployment: string;
  readonly tag: string;
  revision: string;
}

/** A revision that is being watched, at most one of a deployment. It has a share, too. */
export interface CanariesTable {
  readonly deployment: string;
  readonly account_id: string;
  readonly revision: string;
  /** The deploy that watches it. */
  readonly deploy_id: string;
  /** When it gets all traffic, unless it fails before. Epoch milliseconds. */
  readonly ends_at: number;
}

/** Requests and errors since a canary began, of both revisions and from all servers. */
export interface CanaryCountsTable {
  readonly deployment: string;
  readonly revision: string;
  requests: number;
  errors: number;
}
