import type { DeploymentDetail, EnvironmentKey } from '@berth/contract';
import { type Column, EmptyState, IconButton, VirtualTable } from '@berth/ui';
import { SquareAsterisk, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useConsole } from '../../api/console-context.ts';
import { QUERY_KEYS } from '../../api/query-keys.ts';
import { useRead } from '../../api/use-read.ts';
import { useRights } from '../../api/use-rights.ts';
import { ConfirmAction } from '../../components/confirm-action.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { useConsoleTexts } from '../../text/use-console-texts.ts';
import { SetVariable } from './set-variable.tsx';

/** Tab with the names of a deployment's variables and secrets. Values are write-only. */
export function EnvironmentTab({ deployment: { name } }: { readonly deployment: DeploymentDetail }) {
  const { t, formats } = useConsoleTexts();
  const { client } = useConsole();
  const canDeploy = useRights().can('deploy');
  const [removing, setRemoving] = useState<string>();
  const keys = useRead(QUERY_KEYS.environment(name), (api, signal) =>
    api.get('/v1/env/list', { params: { query: { name } }, signal }),
  );
  const columns: readonly Column<EnvironmentKey>[] = [
    {
      title: t('deployment.env.key'),
      track: 'minmax(0,2fr)',
      cell: ({ key }) => (
        <bdi className="font-mono text-xs" title={key}>
          {key}
        </bdi>
      ),
    },
    {
      title: t('deployment.env.changed'),
      track: 'minmax(0,1fr)',
      cell: ({ updated_at }) => <span title={formats.time(updated_at)}>{formats.ago(updated_at, Date.now())}</span>,
    },
    {
      title: t('deployment.env.remove'),
      isTitleHidden: true,
      track: '3rem',
      cell: ({ key }) =>
        canDeploy && (
          <IconButton icon={Trash2} label={t('deployment.env.removeTitle', { key })} onClick={() => setRemoving(key)} />
        ),
    },
  ];
  return (
    <div className="flex flex-col gap-4">
      {canDeploy && <SetVariable name={name} />}
      <Loaded
        query={keys}
        rows={2}
        empty={
          <EmptyState
            icon={SquareAsterisk}
            title={t('deployment.env.empty')}
            text={t('deployment.env.emptyText')}
            command={`npx berth env set ${name} KEY=value`}
          />
        }
      >
        {(rows) => (
          <VirtualTable
            label={t('deployment.tab.environment')}
            rows={rows}
            columns={columns}
            rowKey={({ key }) => key}
          />
        )}
      </Loaded>
      {removing !== undefined && (
        <ConfirmAction
          title={t('deployment.env.removeTitle', { key: removing })}
          description={t('deployment.env.removeText')}
          action={t('deployment.env.remove')}
          command={{
            cli: `npx berth env rm ${name} ${removing}`,
            http: { method: 'POST', path: '/v1/env/set', body: { deployment_name: name, unset: [removing] } },
          }}
          run={() => client.post('/v1/env/set', { body: { deployment_name: name, set: {}, unset: [removing] } })}
          refreshes={[QUERY_KEYS.deployment(name)]}
          said={({ status }) => t(`deployment.env.status.${status}`)}
          onClose={() => setRemoving(undefined)}
        />
      )}
    </div>
  );
}
