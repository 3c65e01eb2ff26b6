import type { Api, Identity } from '@berth/accounts';
import type { Builder, Pruned, PruneOptions } from '@berth/builder';
import type { Sealer } from '@berth/database';
import type { GatewayControl } from '@berth/gateway';
import { type AccountId, describeError, runInBackground } from '@berth/kit';
import type { LogStore } from '@berth/logstore';
import type { Capability, Owner } from '@berth/runtime';
import type { Entitlements } from '../billing/plans/entitlements.ts';
import { type Cluster, createSoleCluster } from '../cluster/cluster.ts';
import { followServers } from '../cluster/follow-servers.ts';
import { createLeases } from '../cluster/leases.ts';
import type { ControlContext } from '../context/control-context.ts';
import { createDeployRunner, type DeployResult } from './deploys/deploy-runner.ts';
import { createDeployService, type DeployService } from './deploys/deploy-service.ts';
import { createEnvironmentService, type EnvironmentService, type ReadExternal } from './deploys/environment-service.ts';
import { type FollowDeploy, followDeploy } from './deploys/events/follow-deploy.ts';
import { followRoutes } from './deploys/follow-routes.ts';
import type { MountRules, OpenObject } from './deploys/intake/read-deploy-request.ts';
import type { DeployContext } from './deploys/records/deploy-context.ts';
import { createDeployHistory } from './deploys/records/deploy-history.ts';
import { createDeployLeases } from './deploys/records/deploy-lease.ts';
import { createDeploySignals } from './deploys/records/deploy-signals.ts';
import { deleteOldDeploys } from './deploys/records/deploy-store.ts';
import { createInstanceList } from './instances/list-instances.ts';
import { createDeploymentDeletion, type DeploymentDeletion } from './removal/delete-deployment.ts';
import { pruneDeployments, readNeeded } from './removal/prune-deployments.ts';
import { shareArtifacts } from './removal/share-artifacts.ts';
import { sweepSharedBuilds } from './removal/sweep-shared-builds.ts';
import { createRunTarget } from './revisions/create-run-target.ts';
import { createDeploymentView } from './revisions/deployment-view.ts';
import { describeForeignRevisions, warnOfForeignRevisions } from './revisions/foreign-revisions.ts';
import { createRevisionStore, listServingRevisions } from './revisions/revision-store.ts';
import { createRevisionTargets, type RevisionTargetsOptions } from './revisions/revision-targets.ts';
import { createRouteLocks } from './revisions/route-locks.ts';
import { registerDeploymentRoutes } from './routes/register-deployment-routes.ts';
import { createDeploymentStore, type DeploymentStore } from './store/deployment-store.ts';
import { createTrafficChanges } from './traffic/change-traffic.ts';
import { createTraffic, type TrafficOptions } from './traffic/create-traffic.ts';

/** Options of {@link createDeployments}. */
export interface CreateDeploymentsOptions
  extends MountRules,
    Pick<ControlContext, 'db' | 'clock' | 'ids' | 'logger' | 'audit'> {
  /** A handle whose queries wait during an outage, for deploys and deletions, which then continue. `db` by default. */
  readonly patientDb?: ControlContext['db'];
  readonly builder: Builder;
  readonly gateway: GatewayControl;
  readonly logs: LogStore;
  /** Limits of the accounts' plans. */
  readonly entitlements: Entitlements;
  /** Seals environments. */
  readonly sealer: Sealer;
  /** The address of a deployment. */
  urlOf(deployment: string): string;
  /** Returns a folder of a volume, created if missing. An empty `subPath` is the volume's root. */
  volumeFolder: RevisionTargetsOptions['volumeFolder'];
  /** The folder of all volumes, when the runtime doesn't mount them at their mount paths. */
  readonly unmountedVolumes?: string | undefined;
  /** Removes the runtime's data of an owner. */
  forgetOwner(owner: Owner): Promise<void>;
  /** Removes other routes to a deployment, such as its domains, before its name is free again. */
  forgetRoutes?(account: AccountId, deployment: string): Promise<void>;
  /** Absent: `source_object` is answered with 501. */
  readonly openObject?: OpenObject;
  /** The identity provider, whose settings services get. */
  readonly identity?: Pick<Identity, 'environment'>;
  /** Further prefixes for the variables of docs/contract/control-plane.md §4. */
  readonly environmentPrefixes?: readonly string[];
  /** Asks the operator's secret store; absent without one. */
  readonly readExternal?: ReadExternal | undefined;
  /** Names that the operator reserves. */
  readonly reservedNames?: readonly string[];
  /** `local` by default. */
  readonly region?: string;
  /** Revisions kept for rollback; 5 by default. */
  readonly keptRevisions?: number;
  /** Concurrent builds; 2 by default. */
  readonly maxBuilds?: number;
  /** The lease of a deploy, after which another process takes over; 30 s by default. */
  readonly leaseMs?: number;
  /** Gives rules to all processes that serve requests; resolves when they have them. */
  readonly onTraffic?: TrafficOptions['onTraffic'];
  /** The servers that share the database; only this one by default. */
  readonly cluster?: Cluster;
  /** Called for each deploy that ended in this process. Must be quick and must not throw. */
  readonly onDeployEnded?: ((result: DeployResult) => void) | undefined;
  /** Called during a build with the seconds since the last call. Must be quick and must not throw. */
  readonly onBuildSeconds?: DeployContext['onBuildSeconds'] | undefined;
}

/** Deployments, their deploys and their environments. */
export interface Deployments {
  /** For other resources that belong to a deployment, such as its logs. */
  readonly store: DeploymentStore;
  /** For deploys, previews and deletions that no request asks for. */
  readonly deploys: Pick<DeployService, 'start'>;
  readonly deletion: Pick<DeploymentDeletion, 'delete'>;
  readonly environment: Pick<EnvironmentService, 'write'>;
  readonly follow: FollowDeploy;
  registerRoutes(api: Api): void;
  /** As {@link createRunTarget}. */
  readonly runTarget: ReturnType<typeof createRunTarget>;
  /** The deployments that can't run on this machine, for `berth doctor`. */
  capabilities(): Promise<readonly Capability[]>;
  /** Cleans up after a crash, registers serving revisions with the gateway, and resumes unfinished deploys. Call it once, before routes. */
  start(): Promise<void>;
  /** Removes caches and unneeded artifacts and archives. Safe during deploys. */
  prune(options: Pick<PruneOptions, 'isDryRun'>): Promise<readonly Pruned[]>;
  /** Ends streams and leaves unfinished deploys to the next start. Resolves after `waitMs` at the latest. Idempotent. */
  close(waitMs: number): Promise<void>;
}

const DEFAULT_MAX_BUILDS = 2;
const DEFAULT_KEPT_REVISIONS = 5;
const DEFAULT_LEASE_MS = 30_000;
/** The retention of deploy events: 90 days. */
const HISTORY_MS = 90 * 24 * 3_600_000;

export function createDeployments(options: CreateDeploymentsOptions): Deployments {
  const { db, clock, logger, builder, gateway, urlOf, unmountedVolumes } = options;
  const { cluster = createSoleCluster(clock), patientDb = db } = options;
  const { environmentPrefixes = [], reservedNames = [], region = 'local', leaseMs = DEFAULT_LEASE_MS } = options;
  const signals = createDeploySignals(cluster);
  const routes = createRouteLocks();
  const closing = new AbortController();
  const targets = createRevisionTargets({ ...options, db: patientDb, unmountedVolumes, environmentPrefixes });
  const traffic = createTraffic({ ...options, db: patientDb, cluster, targets, routes });
  const leases = createDeployLeases({ db, cluster, leaseMs });
  const context: DeployContext = {
    ...options,
    cluster,
    signals,
    routes,
    targets,
    traffic,
    keptRevisions: options.keptRevisions ?? DEFAULT_KEPT_REVISIONS,
    leaseOwner: leases.owner,
    areMountsSure: unmountedVolumes === undefined,
    onBuildSeconds: options.onBuildSeconds ?? (() => {}),
  };
  const runner = createDeployRunner({
    context: { ...context, db: patientDb },
    db,
    leases,
    ids: options.ids,
    heartbeatMs: leaseMs / 3,
    maxBuilds: options.maxBuilds ?? DEFAULT_MAX_BUILDS,
    onEnded: options.onDeployEnded,
  });
  const deletion = createDeploymentDeletion({
    ...options,
    patientDb,
    cluster,
    routes,
    traffic,
    runner,
    leases: createLeases({ db, cluster, clock, logger, leaseMs }),
    closing: closing.signal,
  });
  const deploys = createDeployService({ ...options, cluster, runner, deletionEnded: deletion.ended });
  const environment = createEnvironmentService({
    ...options,
    signals,
    cluster,
    runner,
    reservedNames,
    prefixes: environmentPrefixes,
  });
  const store = createDeploymentStore(db);
  const trafficChanges = createTrafficChanges({ ...options, cluster, routes, traffic });
  const instances = createInstanceList({ db, cluster, gateway, clock, logger });
  let endSweeps = () => {};
  let followers: readonly (() => Promise<void>)[] = [];
  const follow: FollowDeploy = (query) =>
    followDeploy(
      { db, clock, signals, cluster },
      { ...query, signal: AbortSignal.any([query.signal, closing.signal]) },
    );

  return {
    store,
    runTarget: createRunTarget(db, targets),
    deploys,
    deletion,
    environment,
    follow,
    capabilities: () => describeForeignRevisions({ db, builder }),
    registerRoutes: (api) =>
      registerDeploymentRoutes(api, {
        ...options,
        deployments: store,
        revisions: createRevisionStore(db),
        view: createDeploymentView({ gateway, besidesOf: traffic.besidesOf, region, urlOf }),
        deploys,
        traffic: trafficChanges,
        deletion,
        instances,
        environment,
        follow,
        history: createDeployHistory(db),
        reservedNames,
      }),
    async start() {
      // The builder's folders belong to this server, whose deploys have not started yet.
      await builder.collect(await readNeeded(db));
      endSweeps = sweepSharedBuilds({ db, clock, logger, builder });
      const { shared } = builder;
      if (shared) runInBackground('share build results', shareArtifacts(db, shared, logger), logger);
      await deleteOldDeploys(db, clock.nowMs() - HISTORY_MS);
      const count = await registerRevisions(context);
      logger.info({ deployments: count }, 'deployments registered');
      // Before deploys go on, which change the traffic.
      const endTraffic = await traffic.start();
      await warnOfForeignRevisions({ db, builder }, logger);
      await runner.start();
      const resume = async () => runInBackground('unfinished deletions', deletion.resume(), logger);
      await resume();
      followers = [
        instances.start(),
        endTraffic,
        followRoutes(context, options),
        followServers({ cluster, clock, logger, channel: 'routes', pollMs: leaseMs / 3, look: resume }),
      ];
    },
    prune: ({ isDryRun }) => pruneDeployments(context, isDryRun),
    async close(waitMs) {
      closing.abort();
      endSweeps();
      await Promise.all(followers.map((end) => end()));
      await runner.close(waitMs);
      signals.close();
    },
  };
}

/**
 * Registers every serving revision with the gateway, without starting any. A failure is logged: it must
 * not stop the others from serving.
 * @returns how many were registered.
 */
async function registerRevisions({ db, gateway, targets, logger }: DeployContext): Promise<number> {
  let count = 0;
  for (const revision of await listServingRevisions(db)) {
    try {
      gateway.register(await targets.create(revision, revision));
      count++;
    } catch (error) {
      logger.error({ revision: revision.revision, error: describeError(error) }, 'a revision cannot be served');
    }
  }
  return count;
}
