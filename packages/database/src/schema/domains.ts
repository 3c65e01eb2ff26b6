/** A custom domain of a deployment. Several accounts may have it pending; only one may have it verified. */
export interface DomainsTable {
  readonly account_id: string;
  /** Lower-case ASCII host name. */
  readonly domain: string;
  deployment: string;
  status: 'pending' | 'active';
  /** Identifies the verification in a URL. */
  readonly token: string;
  /** The value that the domain's owner publishes. */
  readonly proof: string;
  readonly created_at: number;
  /** Null while pending. */
  verified_at: number | null;
}
