import path from 'node:path';
import type { Identity } from '@berth/accounts';
import type { HealthCheck, VolumeMount } from '@berth/contract';
import type { Sealer } from '@berth/database';
import { type RevisionTarget, sideRoute } from '@berth/gateway';
import type { AccountId } from '@berth/kit';
import type { Mount, VolumeFolder } from '@berth/runtime';
import type { ControlContext } from '../../context/control-context.ts';
import { createCronTokenStore } from '../environment/cron-token-store.ts';
import { createEnvironmentStore } from '../environment/environment-store.ts';
import { instanceEnvironment } from '../environment/instance-environment.ts';
import type { RouteState } from '../store/deployment-store.ts';
import type { RevisionRecord } from './revision-store.ts';

export interface RevisionTargetsOptions extends Pick<ControlContext, 'db' | 'clock'> {
  readonly sealer: Sealer;
  urlOf(deployment: string): string;
  /** Returns a folder of a volume, created if missing. An empty `subPath` is the volume's root. */
  volumeFolder(account: AccountId, volume: string, subPath: string): Promise<VolumeFolder>;
  /** The folder of all volumes, when the runtime doesn't mount them at their mount paths: services are then told where else they are. */
  readonly unmountedVolumes: string | undefined;
  /** The identity provider; absent: there is none. */
  readonly identity?: Pick<Identity, 'environment'> | undefined;
  /** More prefixes for the variables of section 4 of the contract. */
  readonly environmentPrefixes: readonly string[];
}

/** Turns stored revisions into the gateway's targets. */
export type RevisionTargets = ReturnType<typeof createRevisionTargets>;

export function createRevisionTargets(options: RevisionTargetsOptions) {
  const { db, sealer, clock, urlOf, volumeFolder, unmountedVolumes, environmentPrefixes, identity } = options;
  const mount = async (account: AccountId, { mountPath, name, readOnly, subPath }: VolumeMount): Promise<Mount> => ({
    ...(await volumeFolder(account, name, subPath)),
    target: mountPath,
    isReadOnly: readOnly,
  });
  const create = async (
    { accountId, deployment, revision, artifact, settings, environmentVersion }: RevisionRecord,
    { generation, stoppedAtMs }: RouteState,
  ): Promise<RevisionTarget> => {
    if (!artifact) throw new Error(`revision ${revision} has no artifact`);
    const scope = { account: accountId, deployment };
    // Most revisions have no variables, and the platform's start reads all revisions.
    const variables =
      environmentVersion === 0 ? [] : await createEnvironmentStore(db, sealer).read(scope, environmentVersion);
    const cronToken = settings.schedule
      ? await createCronTokenStore(db, sealer).ensure(accountId, deployment, clock.nowMs())
      : undefined;
    const mounts: Mount[] = [];
    for (const volume of settings.volumes) mounts.push(await mount(accountId, volume));
    const volumePaths =
      unmountedVolumes === undefined
        ? {}
        : Object.fromEntries(
            mounts.map(({ target, volume, subPath }) => [target, path.join(unmountedVolumes, volume, subPath)]),
          );
    return {
      account: accountId,
      deployment,
      revision,
      generation,
      isStopped: stoppedAtMs !== null,
      url: urlOf(deployment),
      artifact,
      env: instanceEnvironment({
        account: accountId,
        deployment,
        revision,
        url: urlOf(deployment),
        volumes: settings.volumes,
        volumePaths,
        cronToken,
        identity: await identity?.environment(),
        prefixes: environmentPrefixes,
        settings,
        variables: Object.fromEntries(variables),
      }),
      port: settings.port,
      memoryBytes: settings.memoryBytes,
      cpuMillis: Math.round(settings.cpu * 1000),
      mounts,
      timeoutMs: settings.timeoutSeconds * 1000,
      concurrency: settings.concurrency,
      maxInstances: settings.maxInstances,
      minInstances: settings.minInstances,
      sessionAffinity: settings.sessionAffinity,
      useHttp2: settings.useHttp2,
      ...(settings.health && { health: toHealthProbe(settings.health) }),
    };
  };
  return {
    /**
     * Returns the target of a revision that has the deployment's route.
     * @throws Error when the revision has no artifact (it was not built, or is retired) or a volume's folder can't be made.
     */
    create,
    /** As {@link create}, for a revision that serves beside the current one. It keeps no instances ready. */
    createBeside: async (revision: RevisionRecord, route: RouteState): Promise<RevisionTarget> => ({
      ...(await create(revision, route)),
      route: sideRoute(revision.deployment, revision.revision),
      minInstances: 0,
    }),
  };
}

function toHealthProbe({ path, interval, timeout }: HealthCheck): NonNullable<RevisionTarget['health']> {
  return { path, intervalMs: interval * 1000, timeoutMs: timeout * 1000 };
}
