import type { Builder } from '@berth/builder';
import type { Database } from '@berth/database';
import type { GatewayControl } from '@berth/gateway';
import type { AccountId, Clock, Logger } from '@berth/kit';
import type { SecretBox } from '@berth/kit/node';
import type { LogStore } from '@berth/logstore';
import type { Kysely } from 'kysely';
import type { RevisionTargets } from '../../revisions/revision-targets.ts';
import type { DeploySignals } from './deploy-signals.ts';

/** What the steps of a deploy work with. */
export interface DeployContext {
  readonly db: Kysely<Database>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly signals: DeploySignals;
  readonly builder: Builder;
  readonly gateway: GatewayControl;
  readonly logs: LogStore;
  readonly targets: RevisionTargets;
  readonly box: SecretBox;
  /** Newest revisions of a deployment that can be rolled back to. */
  readonly keptRevisions: number;
  /** Who holds the leases of this process. */
  readonly leaseOwner: string;
  /** The address of a deployment. */
  urlOf(deployment: string): string;
  /** False when the runtime doesn't mount volumes at their mount paths. */
  readonly areMountsSure: boolean;
  /** Meters a build that runs. */
  onBuildSeconds(account: AccountId, deployment: string, seconds: number): void;
}
