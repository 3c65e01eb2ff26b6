import type * as accounts from './accounts.ts';
import type * as alerts from './alerts.ts';
import type * as audit from './audit.ts';
import type * as auth from './auth.ts';
import type * as billing from './billing.ts';
import type * as deployments from './deployments.ts';
import type * as domains from './domains.ts';
import type * as identity from './identity.ts';
import type * as logs from './logs.ts';
import type * as mail from './mail.ts';
import type * as resources from './resource-usage.ts';
import type * as schedules from './schedules.ts';
import type * as sealing from './sealing-keys.ts';
import type * as servers from './servers.ts';
import type * as traffic from './traffic.ts';

/**
 * All tables. Rules that hold for every one of them, so that SQLite and Postgres can share the migrations:
 * text, integer (32 bits), bigint and double only; JSON is text; booleans are 0 or 1; our times are epoch milliseconds of the
 * wall clock in a bigint.
 */
export interface Database {
  accounts: accounts.AccountsTable;
  account_members: accounts.AccountMembersTable;
  account_invites: accounts.AccountInvitesTable;
  api_keys: accounts.ApiKeysTable;
  alert_rules: alerts.AlertRulesTable;
  alert_states: alerts.AlertStatesTable;
  alert_events: alerts.AlertEventsTable;
  alert_deliveries: alerts.AlertDeliveriesTable;
  service_counts: alerts.ServiceCountsTable;
  audit_log: audit.AuditLogTable;
  auth_users: auth.AuthUsersTable;
  auth_sessions: auth.AuthSessionsTable;
  auth_accounts: auth.AuthAccountsTable;
  auth_verifications: auth.AuthVerificationsTable;
  device_grants: auth.DeviceGrantsTable;
  passkeys: auth.PasskeysTable;
  passkey_challenges: auth.PasskeyChallengesTable;
  usage: billing.UsageTable;
  subscriptions: billing.SubscriptionsTable;
  deployments: deployments.DeploymentsTable;
  revisions: deployments.RevisionsTable;
  revision_counters: deployments.RevisionCountersTable;
  deploys: deployments.DeploysTable;
  deploy_events: deployments.DeployEventsTable;
  traffic_shares: traffic.TrafficSharesTable;
  traffic_tags: traffic.TrafficTagsTable;
  canaries: traffic.CanariesTable;
  canary_counts: traffic.CanaryCountsTable;
  volumes: deployments.VolumesTable;
  deleted_volumes: deployments.DeletedVolumesTable;
  volume_attachments: deployments.VolumeAttachmentsTable;
  environment_variables: deployments.EnvironmentVariablesTable;
  shared_variables: deployments.SharedVariablesTable;
  pushed_branches: deployments.PushedBranchesTable;
  cron_tokens: deployments.CronTokensTable;
  domains: domains.DomainsTable;
  identity_keys: identity.IdentityKeysTable;
  identity_sessions: identity.IdentitySessionsTable;
  identity_consents: identity.IdentityConsentsTable;
  identity_codes: identity.IdentityCodesTable;
  identity_refresh_tokens: identity.IdentityRefreshTokensTable;
  log_segments: logs.LogSegmentsTable;
  log_exports: logs.LogExportsTable;
  resource_usage: resources.ResourceUsageTable;
  schedules: schedules.SchedulesTable;
  schedule_runs: schedules.ScheduleRunsTable;
  schedule_attempts: schedules.ScheduleAttemptsTable;
  leases: servers.LeasesTable;
  gateways: servers.GatewaysTable;
  partitions: servers.PartitionsTable;
  instance_reports: servers.InstanceReportsTable;
  certificates: servers.CertificatesTable;
  acme_accounts: servers.AcmeAccountsTable;
  acme_challenges: servers.AcmeChallengesTable;
  attempt_windows: servers.AttemptWindowsTable;
  mail_outbox: mail.MailOutboxTable;
  sign_in_places: mail.SignInPlacesTable;
  sealing_keys: sealing.SealingKeysTable;
}

export type * from './accounts.ts';
export type * from './alerts.ts';
export type * from './audit.ts';
export type * from './auth.ts';
export type * from './billing.ts';
export type * from './deployments.ts';
export type * from './domains.ts';
export type * from './identity.ts';
export type * from './logs.ts';
export type * from './mail.ts';
export type * from './resource-usage.ts';
export type * from './schedules.ts';
export type * from './sealing-keys.ts';
export type * from './servers.ts';
