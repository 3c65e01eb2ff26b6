import type { Instance } from '@berth/contract';
import type { Database } from '@berth/database';
import type { GatewayControl, InstanceReport } from '@berth/gateway';
import { type AccountId, type Clock, describeError, type Logger, type Timer } from '@berth/kit';
import type { Kysely } from 'kysely';
import type { Cluster } from '../../cluster/cluster.ts';
import { leaseTime } from '../../cluster/cluster.ts';

export interface InstanceListOptions {
  readonly db: Kysely<Database>;
  readonly cluster: Cluster;
  readonly gateway: Pick<GatewayControl, 'instances'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** How often a server tells the others about its instances. */
export const REPORT_MS = 5_000;
/** Older reports are not listed: their server has stopped or can't reach the database. */
const STALE_MS = 3 * REPORT_MS;
/** Reports of servers that never came back are deleted after this time. */
const KEPT_MS = 10 * 60_000;
/** Rows per statement. */
const ROWS_AT_ONCE = 500;

/** The instances of deployments, on all servers. */
export type InstanceList = ReturnType<typeof createInstanceList>;

/**
 * Lists instances. A server knows its own; several servers report theirs to the database every {@link REPORT_MS}, in one row for each
 * deployment with instances, and list what the others reported in the last {@link STALE_MS}.
 */
export function createInstanceList({ db, cluster, gateway, clock, logger }: InstanceListOptions) {
  const { isAlone, owner } = cluster;
  let timer: Timer | undefined;
  let running = Promise.resolve();
  let isClosed = false;
  /** True while rows of this server may exist. */
  let hasReported = false;

  const report = async (reports: readonly InstanceReport[]) => {
    if (reports.length === 0 && !hasReported) return;
    const byDeployment = new Map<string, InstanceReport[]>();
    for (const one of reports) byDeployment.set(one.deployment, [...(byDeployment.get(one.deployment) ?? []), one]);
    const rows = [...byDeployment].map(([deployment, instances]) => ({
      ...{ server: owner, deployment, account_id: instances[0]?.account ?? '' },
      body: JSON.stringify(instances.map((one) => toInstance(one, serverName(owner)))),
      reported_at: cluster.nowMs(),
    }));
    await db.transaction().execute(async (transaction) => {
      await transaction
        .deleteFrom('instance_reports')
        .where((eb) => eb('server', '=', owner).or('reported_at', '<', leaseTime(cluster, -KEPT_MS)))
        .execute();
      for (let from = 0; from < rows.length; from += ROWS_AT_ONCE) {
        await transaction
          .insertInto('instance_reports')
          .values(rows.slice(from, from + ROWS_AT_ONCE))
          .execute();
      }
    });
    hasReported = rows.length > 0;
  };

  const tick = () => {
    running = gateway
      .instances()
      .then(report)
      .catch((error: unknown) =>
        logger.warn({ error: describeError(error) }, 'instances could not be reported to other servers; will retry'),
      )
      .finally(() => {
        if (!isClosed) timer = clock.setTimer(REPORT_MS, tick);
      });
  };

  return {
    /** Returns the instances of an account's deployment, or of all of them; this server's first. */
    async list(account: AccountId, deployment?: string): Promise<Instance[]> {
      const own = (await gateway.instances(deployment)).filter((one) => one.account === account);
      const server = isAlone ? null : serverName(owner);
      const instances = own.map((one) => toInstance(one, server));
      if (isAlone) return instances;
      let reports = db.selectFrom('instance_reports').select('body').where('account_id', '=', account);
      if (deployment !== undefined) reports = reports.where('deployment', '=', deployment);
      const rows = await reports
        .where('server', '!=', owner)
        .where('reported_at', '>', leaseTime(cluster, -STALE_MS))
        .orderBy('deployment')
        .orderBy('server')
        .execute();
      // An instance that changed servers since the last report is this server's.
      const known = new Set(instances.map(({ instance }) => instance));
      const others = rows.flatMap(({ body }) => JSON.parse(body) as Instance[]);
      return [...instances, ...others.filter(({ instance }) => !known.has(instance))];
    },
    /** Reports to other servers until the returned function is called, which withdraws the reports. */
    start(): () => Promise<void> {
      if (isAlone) return async () => {};
      tick();
      return async () => {
        isClosed = true;
        timer?.cancel();
        await running;
        await report([]).catch(() => {});
      };
    },
  };
}

/** Returns the part of a lease owner that stays the same at each start of a server. */
function serverName(owner: string): string {
  return owner.slice(0, owner.indexOf(':'));
}

function toInstance(report: InstanceReport, server: string | null): Instance {
  const { instance, deployment, revision, state, startedAtMs, inFlight, isBusy, cpuMillis, memoryBytes } = report;
  return {
    ...{ instance, deployment_name: deployment, revision, state },
    started_at: new Date(startedAtMs).toISOString(),
    ...{ requests: inFlight, busy: isBusy },
    cpu: cpuMillis === null ? null : cpuMillis / 1_000,
    ...{ memory_bytes: memoryBytes, server },
  };
}
