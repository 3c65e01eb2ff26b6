/** The person that a token names. Source: docs/contract/agent-api.md §1, "Claims". */
export interface User {
  /** `sub`. */
  readonly id: string;
  readonly orgId?: string;
  readonly orgSlug?: string;
  readonly orgRole?: string;
  readonly plan?: string;
  readonly features?: readonly string[];
  readonly name?: string;
  readonly email?: string;
  readonly picture?: string;
}
