import type { Api } from '@berth/accounts';
import { registerAddDomain } from './add-domain.ts';
import { registerListDomains } from './list-domains.ts';
import { registerRemoveDomain } from './remove-domain.ts';
import type { DomainRouteDeps } from './to-domain.ts';
import { registerVerifyDomain } from './verify-domain.ts';

/** `/v1/domain/…`. */
export function registerDomainRoutes(api: Api, deps: DomainRouteDeps): void {
  registerAddDomain(api, deps);
  registerVerifyDomain(api, deps);
  registerListDomains(api, deps);
  registerRemoveDomain(api, deps);
}
