import type { Deployment } from '@berth/contract';
import { type MenuItem, useCopy } from '@berth/ui';
import { useNavigate } from '@tanstack/react-router';
import { Copy, ExternalLink, FolderUp, ScrollText, Settings } from 'lucide-react';
import { use } from 'react';
import { useRights } from '../../api/use-rights.ts';
import { useConsoleTexts } from '../../text/use-console-texts.ts';
import { DeployContext } from '../deploys/views/deploy-context.ts';

/** Returns a function that lists what can be done with a deployment from anywhere: in its row and in the command palette. */
export function useDeploymentActions(): (deployment: Deployment) => readonly MenuItem[] {
  const { t } = useConsoleTexts();
  const navigate = useNavigate();
  const choose = use(DeployContext);
  const copy = useCopy();
  const canDeploy = useRights().can('deploy');
  return (deployment) => {
    const { name, url } = deployment;
    const deploy = { label: t('deploy.action'), icon: FolderUp, onChoose: () => choose(deployment) };
    return [
      {
        ...{ label: t('deployment.open'), icon: ExternalLink },
        onChoose: () => void open(url, '_blank', 'noopener,noreferrer'),
      },
      {
        ...{ label: t('deployment.logs'), icon: ScrollText },
        onChoose: () => void navigate({ to: '/logs', search: { deployment: name } as never }),
      },
      ...(canDeploy ? [deploy] : []),
      { label: t('deployment.copyUrl'), icon: Copy, onChoose: () => void copy(url) },
      {
        ...{ label: t('deployment.tab.settings'), icon: Settings },
        onChoose: () => void navigate({ to: '/deployments/$name', params: { name }, search: { tab: 'settings' } }),
      },
    ];
  };
}
