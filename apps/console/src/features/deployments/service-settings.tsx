import type { DeploymentDetail } from '@berth/contract';
import { RepositoryCard } from '../repository/repository-card.tsx';
import { SettingsTab } from './settings-tab.tsx';

/** Tab with the settings of a service and its repository. */
export function ServiceSettings({ deployment }: { readonly deployment: DeploymentDetail }) {
  return (
    <>
      <SettingsTab deployment={deployment} />
      <RepositoryCard deployment={deployment} />
    </>
  );
}
