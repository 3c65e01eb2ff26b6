import type { Api } from '@berth/accounts';
import { registerCancelDeploy } from './cancel-deploy.ts';
import { registerRestart, registerResume, registerStop } from './change-state.ts';
import { registerCheckName } from './check-name.ts';
import { registerDeleteDeployment } from './delete-deployment.ts';
import { registerDeploy } from './deploy.ts';
import type { DeploymentRouteDeps } from './deployment-route-deps.ts';
import { registerGetDeployment } from './get-deployment.ts';
import { registerFollowDeploy } from './list-deploy-events.ts';
import { registerListDeployments } from './list-deployments.ts';
import { registerListDeploys } from './list-deploys.ts';
import { registerListEnvironment } from './list-environment.ts';
import { registerListInstances } from './list-instances.ts';
import { registerPreviewRollback } from './preview-rollback.ts';
import { registerRedeploy } from './redeploy.ts';
import { registerRollback } from './rollback.ts';
import { registerRefreshEnvironment, registerSetEnvironment } from './set-environment.ts';
import { registerSetTraffic } from './set-traffic.ts';
import { registerListSharedVariables, registerSetSharedVariables } from './shared-variables.ts';

/** `/v1/deploy`, `/v1/deploys/…`, `/v1/deployment/…` and `/v1/env/…`. */
export function registerDeploymentRoutes(api: Api, deps: DeploymentRouteDeps): void {
  registerDeploy(api, deps);
  registerListDeploys(api, deps);
  registerFollowDeploy(api, deps);
  registerCancelDeploy(api, deps);
  registerCheckName(api, deps);
  registerListDeployments(api, deps);
  registerListInstances(api, deps);
  registerDeleteDeployment(api, deps);
  registerPreviewRollback(api, deps);
  registerRollback(api, deps);
  registerRedeploy(api, deps);
  registerRestart(api, deps);
  registerStop(api, deps);
  registerResume(api, deps);
  registerSetTraffic(api, deps);
  registerSetEnvironment(api, deps);
  registerListEnvironment(api, deps);
  registerRefreshEnvironment(api, deps);
  registerSetSharedVariables(api, deps);
  registerListSharedVariables(api, deps);
  // Last, because its path parameter would match the paths of the others.
  registerGetDeployment(api, deps);
}
