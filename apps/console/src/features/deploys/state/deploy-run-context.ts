import { createRequiredContext } from '@berth/ui';
import { useSyncExternalStore } from 'react';
import type { DeployRun, DeployState } from './create-deploy-run.ts';

/** React context of this tab's deploy, and the hook that reads it. */
export const [DeployRunContext, useDeployRun] = createRequiredContext<DeployRun>('DeployRunContext');

/** Returns the state of this tab's deploy and renders again when it changes; undefined if there is none. */
export function useDeployState(): DeployState | undefined {
  const deployRun = useDeployRun();
  return useSyncExternalStore(deployRun.subscribe, () => deployRun.state);
}
