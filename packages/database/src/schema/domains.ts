/**
 * A domain that an account wants for a deployment. Accounts claim a domain side by side; proven it is one's alone.
 */
export interface DomainsTable {
  readonly account_id: string;
  /** Lower-case ASCII host name. */
  readonly domain: string;
  deployment: string;
  status: 'pending' | 'active';
  /** Names the proof in a URL. */
  readonly token: string;
  /** What the owner of the domain publishes. */
  readonly proof: string;
  /** Epoch milliseconds, wall clock. */
  readonly created_at: number;
  /** Epoch milliseconds, wall clock; null while pending. */
  verified_at: number | null;
}

/** Tables of custom domains. */
export interface DomainsSchema {
  domains: DomainsTable;
}
