export {
  type AccountServices,
  type CreateAccountServicesOptions,
  createAccountServices,
} from './accounts/account-services.ts';
export type { Accounts, NewAccount } from './accounts/accounts.ts';
export type { AuditActor } from './accounts/audit-actor.ts';
export type { AuditLog, AuditRecord, AuditSource } from './accounts/audit-log.ts';
export { createKeySecret } from './accounts/key-secret.ts';
export { type OidcProvider, parseOidcProviders } from './accounts/oidc/parse-oidc-providers.ts';
export type { Principal } from './accounts/principal.ts';
export { createRequestActivity, type RequestActivity } from './activity/create-activity.ts';
export { type Billing, type CreateBillingOptions, createBilling } from './billing/create-billing.ts';
export { type Plans, parsePlans, selfHostedPlans } from './billing/plans.ts';
export { createStripePayments, type StripeOptions } from './billing/stripe-payments.ts';
export { type ControlApiOptions, createControlApi } from './control-api.ts';
export {
  type CreateDeploymentsOptions,
  createDeployments,
  type Deployments,
} from './deployments/create-deployments.ts';
export type { DeployResult } from './deploys/deploy-runner.ts';
export { type CreateDomainsOptions, createDomains, type Domains } from './domains/create-domains.ts';
export { canOpenSealed } from './environment/can-open-sealed.ts';
export type { Api } from './http/api.ts';
export type { ReadinessCheck } from './http/health-routes.ts';
export { openApiDocument } from './http/openapi-document.ts';
export { type CreateIdentityOptions, createIdentity, type Identity } from './identity/create-identity.ts';
export { createSegmentCatalogue } from './logs/create-segment-catalogue.ts';
export { createLogRetention } from './logs/log-retention.ts';
export { createServiceLog } from './logs/service-log.ts';
export { DEFAULT_PRICE_BOOK, type PriceBook, parsePriceBook } from './metering/price-book.ts';
export {
  type CreateResourceMetricsOptions,
  createResourceMetrics,
  type ResourceMetrics,
} from './metrics/resource-metrics.ts';
export type { CallCron, CronCall } from './schedules/call-cron.ts';
export { createSchedules, type Schedules } from './schedules/create-schedules.ts';
export { type CreateVolumesOptions, createVolumes, type Volumes } from './volumes/create-volumes.ts';
export { createSignedUrls, type SignedUrls, type SignedUrlsOptions } from './volumes/signed-urls.ts';
