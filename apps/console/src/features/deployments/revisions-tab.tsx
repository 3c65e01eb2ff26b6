import type { DeploymentDetail, Revision } from '@berth/contract';
import {
  Badge,
  type BadgeTone,
  Button,
  type Column,
  ConfirmDialog,
  CopyCommand,
  NameWithId,
  Time,
  VirtualTable,
} from '@berth/ui';
import { useState } from 'react';
import { useConsole } from '../../api/console-context.ts';
import { useRights } from '../../api/use-rights.ts';
import { useConsoleTexts } from '../../text/use-console-texts.ts';
import { useDeployRun } from '../deploys/state/deploy-run-context.ts';
import { revisionNumber } from './overview/status-sentence.ts';

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
  const { client } = useConsole();
  const deployRun = useDeployRun();
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
  return (
    <>
      <div className="mb-2 flex justify-end">
        <CopyCommand
          cli={`npx berth rollback ${name}`}
          http={{ method: 'POST', path: '/v1/deployment/rollback', body: { name } }}
        />
      </div>
      <VirtualTable
        label={t('deployment.tab.revisions')}
        rows={revisions}
        columns={columns}
        rowKey={({ revision }) => revision}
      />
      {chosen !== undefined && (
        <ConfirmDialog
          title={t('deployment.rollback.title', { revision: chosen })}
          description={t('deployment.rollback.text')}
          action={t('deployment.rollback')}
          look="primary"
          command={{
            cli: `npx berth rollback ${name} --revision ${chosen}`,
            http: { method: 'POST', path: '/v1/deployment/rollback', body: { name, revision: chosen } },
          }}
          isOpen
          onConfirm={() => {
            deployRun.begin(name, (options) => client.rollback(name, { ...options, revision: chosen }));
            setChosen(undefined);
          }}
          onClose={() => setChosen(undefined)}
        />
      )}
    </>
  );
}
