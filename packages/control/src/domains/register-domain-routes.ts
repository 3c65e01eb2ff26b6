import type { Api } from '../http/api.ts';
import { registerAddDomain } from './routes/add-domain.ts';
import { registerListDomains } from './routes/list-domains.ts';
import { registerRemoveDomain } from './routes/remove-domain.ts';
import { registerVerifyDomain } from './routes/verify-domain.ts';
import type { DomainRouteDeps } from './to-domain.ts';

/** `/v1/domain/…`. */
export function registerDomainRoutes(api: Api, deps: DomainRouteDeps): void {
  registerAddDomain(api, deps);
  registerVerifyDomain(api, deps);
  registerListDomains(api, deps);
  registerRemoveDomain(api, deps);
}
