import { createError } from '@berth/contract';
import {
  type Billing,
  type CanaryCounter,
  type Cluster,
  createCanaryCounter,
  createCluster,
  createRequestActivity,
  createResourceMetrics,
  createServiceCounts,
  createServiceLog,
  createSoleCluster,
  endFormerLeases,
  type RequestActivity,
  type ResourceMetrics,
  type ServiceCounts,
} from '@berth/control';
import { claimDatabase, type Database, openDatabase } from '@berth/database';
import type { GatewayEvents } from '@berth/gateway';
import type { AccountId } from '@berth/kit';
import { createSqlRunner, type FileLogStore, logsRelation, type SqlRunner } from '@berth/logstore';
import type { Kysely } from 'kysely';
import type { PartOptions } from '../context/part-options.ts';
import { lockState } from '../data-folder/data-folder-lock.ts';
import { endFirstRun, type PlatformFolders, preparePlatformFolders } from '../data-folder/platform-folders.ts';
import { type PlatformSecrets, requireOwnKey } from '../data-folder/platform-secrets.ts';
import { createPlatformMetrics, type PlatformMetrics } from '../metrics/create-platform-metrics.ts';
import { fanOutGatewayEvents } from '../metrics/fan-out-gateway-events.ts';
import { createProcessMeter } from '../metrics/process-figures.ts';
import { openBilling } from './open-billing.ts';
import { openLogs } from './open-logs.ts';

/** The platform's persistent state, and the listeners that record gateway events. */
export interface State {
  readonly folders: PlatformFolders;
  readonly secrets: PlatformSecrets;
  readonly db: Kysely<Database>;
  /** Its queries wait while the database can't be reached. */
  readonly patientDb: Kysely<Database>;
  /** The servers that use the database. */
  readonly cluster: Cluster;
  readonly logs: FileLogStore;
  /** Undefined without an admin listener: nothing is measured that can't be read. */
  readonly metrics: PlatformMetrics | undefined;
  readonly billing: Billing;
  /** CPU and memory of deployments. */
  readonly resources: ResourceMetrics;
  /** Requests of deployments over time. */
  readonly activity: RequestActivity;
  /** Counts what alert rules are measured by. */
  readonly counts: ServiceCounts;
  /** Counts requests of deployments with a canary. */
  readonly canaries: CanaryCounter;
  readonly sql: SqlRunner;
  /** Receives the gateway's events and logs, meters and counts them. */
  readonly events: GatewayEvents;
}

/** Options of {@link openState}. */
export interface OpenStateOptions extends PartOptions {
  readonly secrets: PlatformSecrets;
  /** Returns figures of the platform's processes in the Prometheus text format; of this process alone by default. */
  processText?(): Promise<string>;
}

/**
 * Opens the database and the log store of the data folder.
 * @throws BerthError `conflict` when another process or server has them open.
 * @throws BerthError `unavailable` when the database or the master key is damaged or missing; `invalid` for a faulty file of prices
 *   or plans.
 */
export async function openState(options: OpenStateOptions): Promise<State> {
  const { config, version, clock, logger, shutdown, secrets } = options;
  const folders = preparePlatformFolders(config.dataFolder, config.databaseUrl !== undefined);
  const lock = await lockState(folders.data, clock);
  shutdown.push('state lock', () => lock.release());
  const { databaseUrl: url } = config;
  if (url !== undefined) {
    const claim = await claimDatabase(url, { logger, isShared: config.isShared });
    shutdown.push('database claim', () => claim.release());
  }
  const place = url === undefined ? { file: folders.database } : { url, connections: config.databaseConnections };
  const { db, patientDb, notices, close } = await openDatabase({ logger, ...place });
  shutdown.push('database', close);
  if (url !== undefined && !folders.isFirstRun) await requireUsed(db, folders.data);
  await requireOwnKey(db, secrets, clock);
  const cluster = config.isShared ? createCluster(notices, secrets.serverId) : createSoleCluster(clock);
  // The state lock says that no process of an earlier start is alive.
  await endFormerLeases(db, cluster);
  endFirstRun(folders, url !== undefined);
  const billing = await openBilling(options, { db, cluster });
  shutdown.push('billing', () => billing.close());
  const logs = await openLogs(options, { db, folder: folders.logs, entitlements: billing.entitlements });
  const resources = createResourceMetrics({ db, clock, logger });
  shutdown.push('resource metrics', () => resources.close());
  const sql = createSqlRunner({
    clock,
    logger,
    async relationsOf(account, isExamined) {
      const costs = await billing.relationOf(account as AccountId);
      const snapshot = await logs.snapshot(account, isExamined);
      return {
        setUp: [logsRelation(snapshot), costs],
        allowedFolders: snapshot.folders,
        bytes: snapshot.bytes,
        release: snapshot.release,
      };
    },
  });
  shutdown.push('sql', () => sql.close());
  const activity = createRequestActivity({ clock, logger, sql });
  shutdown.push('activity', () => activity.close());
  const counts = createServiceCounts({ db, clock, server: cluster.owner });
  const canaries = createCanaryCounter({ db, clock, logger });
  const metrics =
    config.adminPort === undefined
      ? undefined
      : createPlatformMetrics({ version, processText: options.processText ?? createProcessMeter().text });
  const events = fanOutGatewayEvents(createServiceLog({ logs, clock }), [
    billing.gatewayListener,
    resources.gatewayListener,
    activity.gatewayListener,
    counts.gatewayListener,
    canaries.gatewayListener,
    ...(metrics ? [metrics.listener] : []),
  ]);
  return {
    folders,
    secrets,
    db,
    patientDb,
    cluster,
    logs,
    metrics,
    billing,
    resources,
    activity,
    counts,
    canaries,
    sql,
    events,
  };
}

/** @throws BerthError `unavailable` for an empty database: a server that used it would delete the artifacts of the folder's services. */
async function requireUsed(db: Kysely<Database>, dataFolder: string): Promise<void> {
  if (await db.selectFrom('accounts').select('id').limit(1).executeTakeFirst()) return;
  throw createError(
    'unavailable',
    `The database of BERTH_DATABASE_URL is empty, but ${dataFolder} has been used with another one. Nothing was changed. Set the URL of that database, or choose another folder with --data.`,
  );
}
