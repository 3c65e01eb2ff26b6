import type { DeploymentDetail, StateChange } from '@berth/contract';
import { BerthError } from '@berth/kit';
import { Button, buttonClass, ConfirmDialog, EmptyState, ErrorNote, Skeleton, Tabs } from '@berth/ui';
import { getRouteApi } from '@tanstack/react-router';
import { CircleStop, ExternalLink, FolderUp, Play, RotateCw, ScrollText, SearchX, Trash2 } from 'lucide-react';
import { type ComponentType, lazy, Suspense, use, useRef, useState } from 'react';
import { useConsole } from '../../api/console-context.ts';
import { QUERY_KEYS } from '../../api/query-keys.ts';
import { useRead } from '../../api/use-read.ts';
import { useRights } from '../../api/use-rights.ts';
import { PageHead } from '../../components/page-head.tsx';
import { useConsoleTexts } from '../../text/use-console-texts.ts';
import { useDeployRun, useDeployState } from '../deploys/state/deploy-run-context.ts';
import { DeployContext } from '../deploys/views/deploy-context.ts';
import { DeleteDeployment } from './delete-deployment.tsx';
import { DEPLOYMENT_TABS, type DeploymentTab } from './deployment-tabs.ts';
import { StatusLine } from './status-line.tsx';

const TABS: Readonly<Record<DeploymentTab, ComponentType<{ readonly deployment: DeploymentDetail }>>> = {
  overview: lazy(async () => ({ default: (await import('./overview-tab.tsx')).OverviewTab })),
  instances: lazy(async () => ({ default: (await import('./instances-tab.tsx')).InstancesTab })),
  terminal: lazy(async () => ({ default: (await import('../terminal/terminal-tab.tsx')).TerminalTab })),
  deploys: lazy(async () => ({ default: (await import('./deploys-tab.tsx')).DeploysTab })),
  revisions: lazy(async () => ({ default: (await import('./revisions-tab.tsx')).RevisionsTab })),
  settings: lazy(async () => ({ default: (await import('./service-settings.tsx')).ServiceSettings })),
  environment: lazy(async () => ({ default: (await import('../environment/environment-tab.tsx')).EnvironmentTab })),
  schedule: lazy(async () => ({ default: (await import('../schedules/schedule-tab.tsx')).ScheduleTab })),
  domains: lazy(async () => ({ default: (await import('../domains/domains-tab.tsx')).DomainsTab })),
};

const route = getRouteApi('/deployments/$name');

/** Page of one deployment with all its tabs. */
export function DeploymentPage() {
  const { t } = useConsoleTexts();
  const choose = use(DeployContext);
  const { name } = route.useParams();
  const { tab: wanted = 'overview' } = route.useSearch();
  const navigate = route.useNavigate();
  const { can } = useRights();
  const canDeploy = can('deploy');
  const tabs = DEPLOYMENT_TABS.filter((one) => one !== 'terminal' || can('exec'));
  const tab = tabs.includes(wanted) ? wanted : 'overview';
  // A shell goes on while another tab is shown.
  const hasTerminal = useRef(false);
  if (tab === 'terminal') hasTerminal.current = true;
  const [isDeleting, setDeleting] = useState(false);
  const [isStopping, setStopping] = useState(false);
  const changeState = useStateChange(name);
  const { data, error, refetch } = useRead(
    QUERY_KEYS.deployment(name),
    (client, signal) => client.get('/v1/deployment/{name}', { params: { path: { name } }, signal }),
    { refetchInterval: 5_000 },
  );
  if (BerthError.is(error, 'not_found')) {
    return (
      <>
        <PageHead title={name} />
        <EmptyState
          icon={SearchX}
          title={t('deployment.missing')}
          text={error.message}
          command={`npx berth deploy . --name ${name}`}
        />
      </>
    );
  }
  return (
    <>
      <PageHead
        title={name}
        items={
          data && [
            {
              label: t('deployment.logs'),
              icon: ScrollText,
              onChoose: () => void navigate({ to: '/logs', search: { deployment: name } as never }),
            },
            ...(canDeploy && data.revision !== null && data.status !== 'stopped'
              ? [{ label: t('deployment.stop'), icon: CircleStop, onChoose: () => setStopping(true) }]
              : []),
            ...(canDeploy
              ? [
                  {
                    label: t('deployment.delete'),
                    icon: Trash2,
                    isDanger: true,
                    onChoose: () => setDeleting(true),
                  },
                ]
              : []),
          ]
        }
        command={
          data && {
            cli: `npx berth get ${name}`,
            http: { method: 'GET', path: `/v1/deployment/${encodeURIComponent(name)}` },
          }
        }
      >
        <div className="flex flex-wrap items-center gap-2">
          {data && (
            <>
              {canDeploy && data.revision !== null && <StateButton deployment={data} />}
              {canDeploy && (
                <Button icon={FolderUp} onClick={() => choose(data)}>
                  {t('deploy.action')}
                </Button>
              )}
              <a href={data.url} target="_blank" rel="noopener noreferrer" className={buttonClass('primary')}>
                <ExternalLink aria-hidden className="size-4" />
                {t('deployment.open')}
              </a>
            </>
          )}
        </div>
      </PageHead>
      {error && !data && <ErrorNote error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton rows={6} />}
      {data && <StatusLine deployment={data} />}
      {data && (
        <Tabs<DeploymentTab>
          label={t('deployment.sections', { name })}
          value={tab}
          onChange={(next) => void navigate({ search: { tab: next }, replace: true })}
          tabs={tabs.map((value) => {
            const Content = TABS[value];
            return {
              value,
              label: t(`deployment.tab.${value}`),
              isKept: value === 'terminal',
              content: (
                <Suspense fallback={<Skeleton rows={4} />}>
                  {(value === tab || (value === 'terminal' && hasTerminal.current)) && (
                    <Content key={name} deployment={data} />
                  )}
                </Suspense>
              ),
            };
          })}
        />
      )}
      <ConfirmDialog
        isOpen={isStopping}
        title={t('deployment.stop.title', { name })}
        description={t('deployment.stop.text')}
        action={t('deployment.stop')}
        onConfirm={() => {
          setStopping(false);
          changeState('stop');
        }}
        onClose={() => setStopping(false)}
      />
      {isDeleting && (
        <DeleteDeployment
          name={name}
          onDeleted={() => navigate({ to: '/deployments' })}
          onClose={() => setDeleting(false)}
        />
      )}
    </>
  );
}

/** Button that restarts a deployment, or resumes a stopped one. */
function StateButton({ deployment: { name, status } }: { readonly deployment: DeploymentDetail }) {
  const { t } = useConsoleTexts();
  const begin = useStateChange(name);
  const run = useDeployState();
  const isUnderWay = run?.name === name && (run.phase === 'sending' || run.phase === 'running');
  if (status === 'stopped') {
    return (
      <Button icon={Play} disabled={isUnderWay} onClick={() => begin('resume')}>
        {t('deployment.resume')}
      </Button>
    );
  }
  return (
    <Button icon={RotateCw} disabled={isUnderWay} title={t('deployment.restart.hint')} onClick={() => begin('restart')}>
      {t('deployment.restart')}
    </Button>
  );
}

/** Returns a function that restarts, stops or resumes a deployment and follows the progress. */
function useStateChange(name: string): (change: StateChange) => void {
  const { client } = useConsole();
  const deployRun = useDeployRun();
  return (change) => deployRun.begin(name, (options) => client.changeState(change, name, options));
}
