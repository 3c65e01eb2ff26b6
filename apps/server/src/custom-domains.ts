import { type CreateDomainsOptions, createDomains, type Domains } from '@berth/control';

/** Custom domains as the listeners need them. */
export interface CustomDomains {
  readonly domains: Domains;
  /** The deployment a proven domain leads to. */
  find(host: string): string | undefined;
  /** All proven domains. */
  names(): string[];
  /** Reads those that were proven before this start. */
  load(): Promise<void>;
}

/** Keeps a table of the proven domains beside the database, so that a request costs one look-up. */
export function createCustomDomains(
  options: Omit<CreateDomainsOptions, 'onChange'>,
  onNamesChanged: () => void,
): CustomDomains {
  const table = new Map<string, string>();
  const domains = createDomains({
    ...options,
    onChange({ domain, deployment }) {
      if (deployment === null) table.delete(domain);
      else table.set(domain, deployment);
      onNamesChanged();
    },
  });
  return {
    domains,
    find: (host) => table.get(host),
    names: () => [...table.keys()],
    async load() {
      for (const [domain, deployment] of await domains.routes()) table.set(domain, deployment);
    },
  };
}
