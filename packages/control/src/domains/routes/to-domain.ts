import type { Domain } from '@berth/contract';
import type { Domains } from '../create-domains.ts';
import type { DomainRecord } from '../domain-store.ts';

/** The dependencies of the routes. */
export interface DomainRouteDeps {
  readonly domains: Domains;
  /** The address of a deployment under the platform's own domain. */
  urlOf(deployment: string): string;
}

/** Maps a record to the API's shape. */
export function toDomain(record: DomainRecord, { domains, urlOf }: DomainRouteDeps): Domain {
  const { domain, deployment, status, createdAtMs, verifiedAtMs } = record;
  return {
    domain,
    deployment_name: deployment,
    status,
    target: new URL(urlOf(deployment)).hostname,
    proof: domains.proofOf(record),
    created_at: new Date(createdAtMs).toISOString(),
    verified_at: verifiedAtMs === null ? null : new Date(verifiedAtMs).toISOString(),
  };
}
