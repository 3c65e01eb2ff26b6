import type { DeploymentDetail } from '@berth/contract';

/** What every section of a deployment's page is given. */
export interface TabProps {
  readonly deployment: DeploymentDetail;
}
