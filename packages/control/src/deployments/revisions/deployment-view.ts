import { type Deployment, type Revision, toDeploymentSettings } from '@berth/contract';
import type { GatewayControl } from '@berth/gateway';
import type { DeploymentRecord } from '../store/deployment-store.ts';
import type { RevisionRecord } from './revision-store.ts';

export interface DeploymentViewOptions {
  readonly gateway: Pick<GatewayControl, 'snapshot'>;
  /** Returns the names of the routes of its revisions with a tag or a share of the traffic. */
  besidesOf(deployment: string): Iterable<string>;
  readonly region: string;
  urlOf(deployment: string): string;
}

/** The newest deploy of each deployment, by the deploy's id. */
export type LastDeploys = ReadonlyMap<string, NonNullable<Deployment['last_deploy']>>;

/** Maps records to the API's shape. */
export type DeploymentView = ReturnType<typeof createDeploymentView>;

export function createDeploymentView({ gateway, besidesOf, region, urlOf }: DeploymentViewOptions) {
  return {
    /** @throws Error for a reserved name, which is no deployment. */
    row(record: DeploymentRecord, deploys: LastDeploys): Deployment {
      const { name, status, settings, currentRevision, kind, lastDeploy, createdAtMs, updatedAtMs } = record;
      if (status === 'reserved' || !settings) throw new Error(`${name} was never deployed`);
      const served = [name, ...besidesOf(name)].map((route) => gateway.snapshot(route));
      const sum = (count: 'instances' | 'busy') => served.reduce((total, one) => total + (one?.[count] ?? 0), 0);
      return {
        name,
        url: urlOf(name),
        region,
        status: record.stoppedAtMs !== null && status === 'ready' ? 'stopped' : status,
        revision: currentRevision,
        created_at: new Date(createdAtMs).toISOString(),
        updated_at: new Date(updatedAtMs).toISOString(),
        ...toDeploymentSettings(settings),
        instances: sum('instances'),
        busy: sum('busy'),
        kind,
        last_deploy: (lastDeploy !== null && deploys.get(lastDeploy)) || null,
      };
    },
    revision: ({ revision, createdAtMs, status, digest, sourceSha256 }: RevisionRecord): Revision => ({
      revision,
      created_at: new Date(createdAtMs).toISOString(),
      status,
      digest,
      source_sha256: sourceSha256,
    }),
  };
}
