import {
  type AccountServices,
  type Api,
  createApi,
  type Identity,
  type ReadinessCheck,
  registerAccountRoutes,
} from '@berth/accounts';
import type { LogStore, SqlRunner } from '@berth/logstore';
import type { Capability } from '@berth/runtime';
import type { RequestActivity } from './activity/create-activity.ts';
import { registerGetActivity } from './activity/routes/get-activity.ts';
import type { Alerts } from './alerts/create-alerts.ts';
import { registerAlertRoutes } from './alerts/routes/register-alert-routes.ts';
import { type BackupRouteDeps, registerBackupRoutes } from './backup/register-backup-routes.ts';
import { type KeptBackupPort, registerKeptBackupRoutes } from './backup/register-kept-backup-routes.ts';
import type { Billing } from './billing/create-billing.ts';
import type { ControlContext } from './context/control-context.ts';
import type { Deployments } from './deployments/create-deployments.ts';
import type { Domains } from './domains/create-domains.ts';
import { registerDomainRoutes } from './domains/routes/register-domain-routes.ts';
import type { Exec } from './exec/create-exec.ts';
import type { Tunnels } from './exec/create-tunnels.ts';
import { registerExecCommand } from './exec/routes/exec-command.ts';
import { registerOpenTunnel } from './exec/routes/open-tunnel.ts';
import { registerRunCommand } from './exec/routes/run-command.ts';
import type { GitPushes } from './git/create-git-pushes.ts';
import { registerGetPushRepository, registerSetPushBranch } from './git/routes/push-branch.ts';
import { registerGitRoutes } from './git/routes/register-git-routes.ts';
import { registerLogRoutes } from './logs/routes/register-log-routes.ts';
import type { ResourceMetrics } from './metrics/resource-metrics.ts';
import { registerGetMetrics } from './metrics/routes/get-metrics.ts';
import { registerPruneRoute } from './prune/register-prune-route.ts';
import type { Repositories } from './repositories/create-repositories.ts';
import { registerRepositoryRoutes } from './repositories/routes/register-repository-routes.ts';
import type { Schedules } from './schedules/create-schedules.ts';
import { registerScheduleRoutes } from './schedules/routes/register-schedule-routes.ts';
import { registerRunSql } from './sql/routes/run-sql.ts';
import { registerShowDoctor } from './system/routes/show-doctor.ts';
import { registerVolumeRoutes } from './volumes/routes/register-volume-routes.ts';
import type { VolumeRouteDeps } from './volumes/routes/volume-route-deps.ts';

/** The dependencies of the control plane's routes. */
export interface ControlApiOptions extends Pick<ControlContext, 'db' | 'clock' | 'ids' | 'logger'> {
  readonly accounts: AccountServices;
  readonly deployments: Deployments;
  readonly pushes: GitPushes;
  readonly logs: LogStore;
  readonly alerts: Pick<Alerts, 'rules'>;
  readonly domains: Domains;
  readonly identity: Pick<Identity, 'registerRoutes'>;
  readonly repositories: Pick<Repositories, 'connected' | 'hooks'>;
  readonly schedules: Pick<Schedules, 'list' | 'runs' | 'run'>;
  readonly createBackup: BackupRouteDeps['createBackup'];
  readonly keptBackups: KeptBackupPort | undefined;
  readonly volumes: VolumeRouteDeps;
  readonly billing: Pick<Billing, 'registerRoutes'>;
  readonly sql: Pick<SqlRunner, 'run'>;
  readonly resources: Pick<ResourceMetrics, 'list'>;
  readonly activity: Pick<RequestActivity, 'list'>;
  readonly exec: Pick<Exec, 'reserve'>;
  readonly tunnels: Pick<Tunnels, 'reserve'>;
  urlOf(deployment: string): string;
  /** The address of the API. */
  readonly apiUrl: string;
  readonly isSignUpAllowed: boolean;
  readonly readinessChecks: readonly ReadinessCheck[];
  capabilities(): Promise<readonly Capability[]>;
}

/** Creates the HTTP API of the control plane, with every route registered. */
export function createControlApi(options: ControlApiOptions): Api {
  const { db, clock, ids, logger, accounts, deployments, logs, readinessChecks } = options;
  const api = createApi({ logger, clock, ids, authenticate: accounts.authenticate, readinessChecks });
  registerAccountRoutes(api, {
    ...accounts,
    db,
    clock,
    ids,
    isSignUpAllowed: options.isSignUpAllowed,
    baseUrl: options.apiUrl,
  });
  registerShowDoctor(api, {
    capabilities: async () => [...(await options.capabilities()), ...(await options.deployments.capabilities())],
  });
  // Before the deployments' routes, whose `/v1/deployment/{name}` matches every other path.
  registerLogRoutes(api, { logs, clock, deployments: deployments.store });
  registerExecCommand(api, { exec: options.exec, deployments: deployments.store });
  registerRunCommand(api, { exec: options.exec, runTarget: deployments.runTarget });
  registerOpenTunnel(api, { tunnels: options.tunnels, deployments: deployments.store });
  registerBackupRoutes(api, { audit: accounts.audit, createBackup: options.createBackup });
  registerKeptBackupRoutes(api, { audit: accounts.audit, keptBackups: options.keptBackups });
  registerPruneRoute(api, { audit: accounts.audit, deployments, volumes: options.volumes.volumes });
  registerAlertRoutes(api, options.alerts);
  registerRepositoryRoutes(api, options.repositories);
  registerScheduleRoutes(api, { schedules: options.schedules });
  registerVolumeRoutes(api, options.volumes);
  registerRunSql(api, { sql: options.sql });
  registerGetMetrics(api, { sql: options.sql, resources: options.resources, clock, deployments: deployments.store });
  registerGetActivity(api, { activity: options.activity });
  options.identity.registerRoutes(api);
  registerGitRoutes(api, {
    pushes: options.pushes,
    follow: deployments.follow,
    clock,
    authenticate: accounts.authenticate,
  });
  registerGetPushRepository(api, options);
  registerSetPushBranch(api, options);
  registerDomainRoutes(api, { domains: options.domains, urlOf: options.urlOf });
  options.billing.registerRoutes(api, { audit: accounts.audit, returnUrl: options.apiUrl, sql: options.sql });
  deployments.registerRoutes(api);
  return api;
}
