import type { Builder } from '@berth/builder';
import type { Clock } from '@berth/kit';
import type { DeployService } from '../deploys/deploy-service.ts';
import type { EnvironmentService } from '../deploys/environment-service.ts';
import type { FollowDeploy } from '../deploys/events/follow-deploy.ts';
import type { MountRules, OpenObject } from '../deploys/intake/read-deploy-request.ts';
import type { DeployHistory } from '../deploys/records/deploy-history.ts';
import type { InstanceList } from '../instances/list-instances.ts';
import type { DeploymentDeletion } from '../removal/delete-deployment.ts';
import type { DeploymentView } from '../revisions/deployment-view.ts';
import type { RevisionStore } from '../revisions/revision-store.ts';
import type { DeploymentStore } from '../store/deployment-store.ts';
import type { TrafficChanges } from '../traffic/change-traffic.ts';

/** The dependencies of the routes. */
export interface DeploymentRouteDeps extends MountRules {
  readonly deployments: DeploymentStore;
  readonly revisions: RevisionStore;
  readonly view: DeploymentView;
  readonly deploys: DeployService;
  readonly follow: FollowDeploy;
  readonly traffic: TrafficChanges;
  readonly history: DeployHistory;
  readonly instances: InstanceList;
  readonly deletion: DeploymentDeletion;
  readonly environment: EnvironmentService;
  readonly builder: Pick<Builder, 'receive' | 'discard'>;
  readonly clock: Clock;
  readonly reservedNames: readonly string[];
  readonly openObject?: OpenObject | undefined;
}
