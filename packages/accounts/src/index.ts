export {
  type AccountServices,
  type CreateAccountServicesOptions,
  createAccountServices,
} from './account-services.ts';
export {
  type AccountSource,
  type AuditLog,
  type AuditRecord,
  auditSource,
  createAuditLog,
  SYSTEM_SOURCE,
} from './audit/audit-log.ts';
export { type AuditActor, nameActors } from './audit/name-actors.ts';
export {
  createIdentity,
  type Identity,
  type IdentityEnvironment,
} from './create-identity.ts';
export type { Api, ApiContext, InternalBindings } from './http/api.ts';
export { createApi } from './http/create-api.ts';
export { defineOperation, defineRoute } from './http/define-route.ts';
export type { ReadinessCheck } from './http/health-routes.ts';
export { openApiDocument } from './http/openapi-document.ts';
export { REGISTERED_SCOPES } from './identity/registered-client.ts';
export { type OidcProvider, parseOidcProviders } from './oidc/parse-oidc-providers.ts';
export { type Accounts, type NewAccount, toAccount } from './people/accounts.ts';
export type { Principal } from './principal/principal.ts';
export { registerAccountRoutes } from './register-account-routes.ts';
export { createKeySecret } from './secrets/secrets.ts';
