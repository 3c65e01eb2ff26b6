import { type CreateDomainsOptions, createDomains, type Domains } from '@berth/control';

/** Custom domains for the listeners. */
export interface CustomDomains {
  readonly domains: Domains;
  /** Loads the domains verified before this start. */
  load(): Promise<void>;
}

/** Keeps `table` (verified domain → deployment) in step with the database, so that routing a request costs one lookup. */
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
