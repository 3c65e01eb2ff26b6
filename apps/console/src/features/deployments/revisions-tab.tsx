import type { DeploymentDetail, Revision, Traffic } from '@berth/contract';
import { Badge, type BadgeTone, Button, type Column, NameWithId, Time, useCommand, VirtualTable } from '@berth/ui';
import { useState } from 'react';
import { QUERY_KEYS } from '../../api/query-keys.ts';
import { useRights } from '../../api/use-rights.ts';
import { ConfirmAction } from '../../components/confirm-action.tsx';
import { useConsoleTexts } from '../../text/use-console-texts.ts';
import { revisionNumber } from './overview/status-sentence.ts';
import { RollbackDialog } from './rollback-dialog.tsx';
import { shareOf, TrafficDialog } from './traffic-dialog.tsx';

const TONES: Readonly<Record<Revision['status'], BadgeTone>> = {
  ready: 'good',
  failed: 'bad',
  retired: 'neutral',
  building: 'busy',
};

/** Tab with the deployment's revisions, newest first. Each successful one can be rolled back to, or promoted when it is newer. */
export function RevisionsTab({ deployment }: { readonly deployment: DeploymentDetail }) {
  const { name, revision: current, revisions, traffic } = deployment;
  const { t } = useConsoleTexts();
  const canDeploy = useRights().can('deploy');
  const [chosen, setChosen] = useState<string>();
  const [shared, setShared] = useState<string>();
  const [isEnding, setIsEnding] = useState(false);
  const canServe = ({ revision, status }: Revision) => revision !== current && status === 'ready';
  const isNewer = (revision: string) => Number(revisionNumber(revision)) > Number(revisionNumber(current ?? ''));
  const columns: readonly Column<Revision>[] = [
    {
      title: t('deployment.revision'),
      track: 'minmax(0,2fr)',
      cell: ({ revision }) => <NameWithId id={revision}>{revisionNumber(revision)}</NameWithId>,
    },
    {
      title: t('deployments.status'),
      track: '8rem',
      cell: ({ revision, status }) =>
        revision === current ? (
          <Badge tone="good" text={t('deployment.serving')} />
        ) : (
          <Badge tone={status === 'ready' ? 'neutral' : TONES[status]} text={t(`deployment.revision.${status}`)} />
        ),
    },
    {
      title: t('deployment.traffic'),
      track: 'minmax(0,2fr)',
      cell: ({ revision }) => traffic && <RevisionTraffic traffic={traffic} revision={revision} />,
    },
    {
      title: t('deployment.created'),
      track: 'minmax(0,2fr)',
      isWideOnly: true,
      cell: ({ created_at }) => <Time at={created_at} look="moment" />,
    },
    {
      title: t('deployment.rollback'),
      isTitleHidden: true,
      track: '12rem',
      cell: (row) =>
        canDeploy &&
        row.status === 'ready' && (
          <>
            {traffic && (
              <Button look="quiet" onClick={() => setShared(row.revision)}>
                {t('deployment.traffic')}
              </Button>
            )}
            {canServe(row) && (
              <Button look="quiet" onClick={() => setChosen(row.revision)}>
                {t(isNewer(row.revision) ? 'deployment.promote' : 'deployment.rollback')}
              </Button>
            )}
          </>
        ),
    },
  ];
  useCommand({
    label: t('deployment.tab.revisions'),
    cli: `npx berth rollback ${name}`,
    http: { method: 'POST', path: '/v1/deployment/rollback', body: { name } },
  });
  return (
    <>
      {traffic?.canary && (
        <p className="text-ink-soft">{t('deployment.traffic.canary', { revision: traffic.canary.revision })}</p>
      )}
      {canDeploy && traffic && traffic.split.length > 1 && traffic.canary === null && (
        <p className="flex items-center gap-3 text-ink-soft">
          {t('deployment.traffic.split')}
          <Button onClick={() => setIsEnding(true)}>{t('deployment.traffic.end')}</Button>
        </p>
      )}
      <VirtualTable
        label={t('deployment.tab.revisions')}
        rows={revisions}
        columns={columns}
        rowKey={({ revision }) => revision}
      />
      {traffic && shared !== undefined && (
        <TrafficDialog
          deployment={deployment}
          traffic={traffic}
          revision={shared}
          onClose={() => setShared(undefined)}
        />
      )}
      {isEnding && (
        <ConfirmAction
          title={t('deployment.traffic.endTitle')}
          description={t('deployment.traffic.endText')}
          action={t('deployment.traffic.end')}
          look="primary"
          command={{
            cli: `npx berth traffic ${name} --to ${current}`,
            http: { method: 'POST', path: '/v1/deployment/traffic', body: { name, split: {} } },
          }}
          run={(client) => client.post('/v1/deployment/traffic', { body: { name, split: {} } })}
          refreshes={[QUERY_KEYS.deployment(name)]}
          onClose={() => setIsEnding(false)}
        />
      )}
      {chosen !== undefined && (
        <RollbackDialog
          name={name}
          revision={chosen}
          isPromotion={isNewer(chosen)}
          onClose={() => setChosen(undefined)}
        />
      )}
    </>
  );
}

/** The share of a revision, and its tags with links to their addresses. */
function RevisionTraffic({ traffic, revision }: { readonly traffic: Traffic; readonly revision: string }) {
  const percent = shareOf(traffic, revision);
  return (
    <span className="flex flex-wrap gap-x-2">
      {percent > 0 && <span>{percent} %</span>}
      {traffic.tags
        .filter((one) => one.revision === revision)
        .map(({ tag, url }) => (
          <a key={tag} href={url} target="_blank" rel="noopener noreferrer" className="text-accent hover:underline">
            <bdi>{tag}</bdi>
          </a>
        ))}
    </span>
  );
}
