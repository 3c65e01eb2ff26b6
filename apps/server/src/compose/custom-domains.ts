import { type CreateDomainsOptions, createDomains, type Domains } from '@berth/control';

/** Custom domains as the listeners need them. */
export interface CustomDomains {
  readonly domains: Domains;
  /** Reads those that were proven before this start. */
  load(): Promise<void>;
}

/** Keeps `table` (proven domain → deployment) beside the database, so that a request costs one look-up. */
export function createCustomDomains(
  options: Omit<CreateDomainsOptions, 'onChange'>,
  table: Map<string, string>,
  onChanged: () => void | Promise<void>,
): CustomDomains {
  const domains = createDomains({
    ...options,
    onChange({ domain, deployment }) {
      if (deployment === null) table.delete(domain);
      else table.set(domain, deployment);
      return onChanged();
    },
  });
  return {
    domains,
    async load() {
      for (const [domain, deployment] of await domains.routes()) table.set(domain, deployment);
    },
  };
}
