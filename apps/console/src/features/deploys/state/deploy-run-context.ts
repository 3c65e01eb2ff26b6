import { createRequiredContext } from '@berth/ui';
import { useSyncExternalStore } from 'react';
import type { DeployRun, DeployState } from './create-deploy-run.ts';

/** The deploy of this tab. */
export const [DeployRunContext, useDeployRun] = createRequiredContext<DeployRun>('DeployRunContext');

/** Returns the state of this tab's deploy, and renders again when it changes; undefined where there is none. */
export function useDeployState(): DeployState | undefined {
  const deployRun = useDeployRun();
  return useSyncExternalStore(deployRun.subscribe, () => deployRun.state);
}
