import type { Api } from '@berth/accounts';
import type { DeployService } from '../deploys/deploy-service.ts';
import type { EnvironmentService } from '../deploys/environment-service.ts';
import type { DeployHistory } from '../deploys/records/deploy-history.ts';
import type { DeploymentDeletion } from '../removal/delete-deployment.ts';
import type { DeploymentView } from '../revisions/deployment-view.ts';
import type { RevisionStore } from '../revisions/revision-store.ts';
import type { DeploymentStore } from '../store/deployment-store.ts';
import { registerCancelDeploy } from './cancel-deploy.ts';
import { registerCheckName } from './check-name.ts';
import { registerDeleteDeployment } from './delete-deployment.ts';
import type { DeployRouteDeps } from './deploy.ts';
import { registerDeploy } from './deploy.ts';
import { registerGetDeployment } from './get-deployment.ts';
import { registerFollowDeploy } from './list-deploy-events.ts';
import { registerListDeployments } from './list-deployments.ts';
import { registerListDeploys } from './list-deploys.ts';
import { registerListEnvironment } from './list-environment.ts';
import { registerRedeploy } from './redeploy.ts';
import { registerRollback } from './rollback.ts';
import { registerSetEnvironment } from './set-environment.ts';

/** The dependencies of the routes. */
export interface DeploymentRouteDeps extends DeployRouteDeps {
  readonly deployments: DeploymentStore;
  readonly revisions: RevisionStore;
  readonly view: DeploymentView;
  readonly deploys: DeployService;
  readonly history: DeployHistory;
  readonly deletion: DeploymentDeletion;
  readonly environment: EnvironmentService;
}

/** `/v1/deploy`, `/v1/deploys/…`, `/v1/deployment/…` and `/v1/env/…`. */
export function registerDeploymentRoutes(api: Api, deps: DeploymentRouteDeps): void {
  registerDeploy(api, deps);
  registerListDeploys(api, deps);
  registerFollowDeploy(api, deps);
  registerCancelDeploy(api, deps);
  registerCheckName(api, deps);
  registerListDeployments(api, deps);
  registerDeleteDeployment(api, deps);
  registerRollback(api, deps);
  registerRedeploy(api, deps);
  registerSetEnvironment(api, deps);
  registerListEnvironment(api, deps);
  // Last, because its path parameter would match the paths of the others.
  registerGetDeployment(api, deps);
}
