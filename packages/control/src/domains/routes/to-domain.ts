import type { Domain } from '@berth/contract';
import type { DomainsTable } from '@berth/database';
import type { Domains } from '../create-domains.ts';

/** The dependencies of the routes. */
export interface DomainRouteDeps {
  readonly domains: Domains;
  /** The address of a deployment under the platform's own domain. */
  urlOf(deployment: string): string;
}

/** Maps a record to the API's shape. */
export function toDomain(record: DomainsTable, { domains, urlOf }: DomainRouteDeps): Domain {
  const { domain, deployment, status, created_at, verified_at } = record;
  return {
    domain,
    deployment_name: deployment,
    status,
    target: new URL(urlOf(deployment)).hostname,
    proof: domains.proofOf(record),
    created_at: new Date(created_at).toISOString(),
    verified_at: verified_at === null ? null : new Date(verified_at).toISOString(),
  };
}
