import type { Builder } from '@berth/builder';
import type { Sealer } from '@berth/database';
import type { GatewayControl } from '@berth/gateway';
import type { AccountId } from '@berth/kit';
import type { LogStore } from '@berth/logstore';
import type { Cluster } from '../../../cluster/cluster.ts';
import type { ControlContext } from '../../../context/control-context.ts';
import type { RevisionTargets } from '../../revisions/revision-targets.ts';
import type { RouteLocks } from '../../revisions/route-locks.ts';
import type { Traffic } from '../../traffic/create-traffic.ts';
import type { DeploySignals } from './deploy-signals.ts';

/** The dependencies of the steps of a deploy. */
export interface DeployContext extends Pick<ControlContext, 'db' | 'clock' | 'logger'> {
  readonly cluster: Cluster;
  readonly signals: DeploySignals;
  /** Keeps changes of one route apart. */
  readonly routes: RouteLocks;
  readonly builder: Builder;
  readonly gateway: GatewayControl;
  readonly logs: LogStore;
  readonly targets: RevisionTargets;
  readonly traffic: Traffic;
  readonly audit: ControlContext['audit'];
  readonly sealer: Sealer;
  /** Revisions whose artifact is kept for rollback; the serving revision's always is. */
  readonly keptRevisions: number;
  /** The owner in this process's leases. */
  readonly leaseOwner: string;
  /** The address of a deployment. */
  urlOf(deployment: string): string;
  /** False when the runtime doesn't mount volumes at their mount paths. */
  readonly areMountsSure: boolean;
  /** Meters a running build. */
  onBuildSeconds(account: AccountId, deployment: string, seconds: number): void;
}
