export { createRequestActivity, type RequestActivity } from './activity/create-activity.ts';
export { type Alerts, createAlerts } from './alerts/create-alerts.ts';
export { createServiceCounts, type ServiceCounts } from './alerts/service-counts.ts';
export { type Billing, type CreateBillingOptions, createBilling } from './billing/create-billing.ts';
export { createStripePayments, type StripeOptions } from './billing/payments/stripe-payments.ts';
export { type Plans, parsePlans, selfHostedPlans } from './billing/plans/plans.ts';
export { createDnsRecordList } from './certificates/dns-record-list.ts';
export { type SharedCertificates, shareCertificates } from './certificates/share-certificates.ts';
export { type Cluster, createCluster, createSoleCluster, endFormerLeases } from './cluster/cluster.ts';
export { createLeases, type HeldLease, type Leases } from './cluster/leases.ts';
export { createPartitions, type Partitions, partitionOf } from './cluster/partitions.ts';
export { type ControlApiOptions, createControlApi } from './control-api.ts';
export {
  type CreateDeploymentsOptions,
  createDeployments,
  type Deployments,
} from './deployments/create-deployments.ts';
export type { DeployResult } from './deployments/deploys/deploy-runner.ts';
export type { ReadExternal } from './deployments/deploys/environment-service.ts';
export { type MovedDeployments, type Rebuild, settleMovedDeployments } from './deployments/deploys/queue-rebuilds.ts';
export { type CanaryCounter, createCanaryCounter } from './deployments/traffic/canary-counts.ts';
export { type CreateDomainsOptions, createDomains, type Domains } from './domains/create-domains.ts';
export { createExec, type Exec } from './exec/create-exec.ts';
export { createTunnels, type Tunnels } from './exec/create-tunnels.ts';
export { createGitPushes, type GitPushes } from './git/create-git-pushes.ts';
export { adoptSegments } from './logs/adopt-segments.ts';
export { createBlockTable } from './logs/create-block-table.ts';
export { createSegmentCatalogue } from './logs/create-segment-catalogue.ts';
export { createLogRetention } from './logs/log-retention.ts';
export { createServiceLog } from './logs/service-log.ts';
export { DEFAULT_PRICE_BOOK, type PriceBook, parsePriceBook } from './metering/price-book.ts';
export {
  type CreateResourceMetricsOptions,
  createResourceMetrics,
  type ResourceMetrics,
} from './metrics/resource-metrics.ts';
export { createWebhookAccess } from './outbound/webhook-access.ts';
export { createRepositories, type Repositories } from './repositories/create-repositories.ts';
export { createReceiveCommit } from './repositories/receive-commit.ts';
export { createSchedules, type Schedules } from './schedules/create-schedules.ts';
export { createFireTimes } from './schedules/fire-times.ts';
export type { CallCron, CronCall } from './schedules/schedule-runner.ts';
export { type CreateVolumesOptions, createVolumes, type Volumes } from './volumes/create-volumes.ts';
export { createSignedUrls, type SignedUrls, type SignedUrlsOptions } from './volumes/signed-urls.ts';
