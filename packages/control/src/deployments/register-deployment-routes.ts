import type { DeployHistory } from '../deploys/deploy-history.ts';
import type { DeployService } from '../deploys/deploy-service.ts';
import { registerCancelDeploy } from '../deploys/routes/cancel.ts';
import type { DeployRouteDeps } from '../deploys/routes/deploy.ts';
import { registerDeploy } from '../deploys/routes/deploy.ts';
import { registerFollowDeploy } from '../deploys/routes/events.ts';
import { registerListDeploys } from '../deploys/routes/list-deploys.ts';
import type { EnvironmentService } from '../environment/environment-service.ts';
import { registerListEnvironment } from '../environment/routes/list-environment.ts';
import { registerSetEnvironment } from '../environment/routes/set-environment.ts';
import type { Api } from '../http/api.ts';
import type { DeploymentDeletion } from './delete-deployment.ts';
import type { DeploymentStore } from './deployment-store.ts';
import type { DeploymentView } from './deployment-view.ts';
import type { RevisionStore } from './revision-store.ts';
import { registerCheckName } from './routes/check-name.ts';
import { registerDeleteDeployment } from './routes/delete-deployment.ts';
import { registerGetDeployment } from './routes/get-deployment.ts';
import { registerListDeployments } from './routes/list-deployments.ts';
import { registerRedeploy } from './routes/redeploy.ts';
import { registerRollback } from './routes/rollback.ts';

/** What the routes work with. */
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
  // Last: its parameter would take the paths of the others.
  registerGetDeployment(api, deps);
}
