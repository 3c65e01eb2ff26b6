export {
  type AccountServices,
  type CreateAccountServicesOptions,
  createAccountServices,
} from './accounts/account-services.ts';
export type { Accounts, NewAccount } from './accounts/accounts.ts';
export {
  type AuditActor,
  type AuditLog,
  type AuditRecord,
  type AuditSource,
  SYSTEM_SOURCE,
} from './accounts/audit-log.ts';
export { chosenSecretProblem, createKeySecret } from './accounts/key-secret.ts';
export type { Principal } from './accounts/principal.ts';
export { type AccountRouteDeps, registerAccountRoutes } from './accounts/register-account-routes.ts';
export {
  type CreateDeploymentsOptions,
  createDeployments,
  type Deployments,
} from './deployments/create-deployments.ts';
export type { Api, ApiContext, ApiEnv } from './http/api.ts';
export { type CreateApiOptions, createApi } from './http/create-api.ts';
export type { ReadinessCheck } from './http/health-routes.ts';
export { openApiDocument } from './http/openapi-document.ts';
export { registerLogRoutes } from './logs/register-log-routes.ts';
export type { TailLogsDeps } from './logs/routes/tail-logs.ts';
export { createServiceLog } from './logs/service-log.ts';
export { registerSystemRoutes } from './system/register-system-routes.ts';
