import type { DeploymentDetail, Revision } from '@berth/contract';
import { Badge, type BadgeTone, Button, type Column, NameWithId, Time, useCommand, VirtualTable } from '@berth/ui';
import { useState } from 'react';
import { useRights } from '../../api/use-rights.ts';
import { useConsoleTexts } from '../../text/use-console-texts.ts';
import { revisionNumber } from './overview/status-sentence.ts';
import { RollbackDialog } from './rollback-dialog.tsx';

const TONES: Readonly<Record<Revision['status'], BadgeTone>> = {
  ready: 'good',
  failed: 'bad',
  retired: 'neutral',
  building: 'busy',
};

/** Tab with the deployment's revisions, newest first. Each successful one can be rolled back to. */
export function RevisionsTab({
  deployment: { name, revision: current, revisions },
}: {
  readonly deployment: DeploymentDetail;
}) {
  const { t } = useConsoleTexts();
  const canDeploy = useRights().can('deploy');
  const [chosen, setChosen] = useState<string>();
  const canServe = ({ revision, status }: Revision) => revision !== current && status === 'ready';
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
      title: t('deployment.created'),
      track: 'minmax(0,2fr)',
      isWideOnly: true,
      cell: ({ created_at }) => <Time at={created_at} look="moment" />,
    },
    {
      title: t('deployment.rollback'),
      isTitleHidden: true,
      track: '7rem',
      cell: (row) =>
        canDeploy &&
        canServe(row) && (
          <Button look="quiet" onClick={() => setChosen(row.revision)}>
            {t('deployment.rollback')}
          </Button>
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
      <VirtualTable
        label={t('deployment.tab.revisions')}
        rows={revisions}
        columns={columns}
        rowKey={({ revision }) => revision}
      />
      {chosen !== undefined && <RollbackDialog name={name} revision={chosen} onClose={() => setChosen(undefined)} />}
    </>
  );
}
