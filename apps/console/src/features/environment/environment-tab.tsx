import type { DeploymentDetail, EnvironmentKey } from '@berth/contract';
import {
  type Column,
  ConfirmDialog,
  EmptyState,
  ErrorNote,
  IconButton,
  Skeleton,
  useTell,
  VirtualTable,
} from '@berth/ui';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { SquareAsterisk, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useConsole } from '../../api/console-context.ts';
import { QUERY_KEYS } from '../../api/query-keys.ts';
import { useRights } from '../../api/use-rights.ts';
import { useConsoleTexts } from '../../text/use-console-texts.ts';
import { SetVariable } from './set-variable.tsx';

/** Tab with the names of a deployment's variables and secrets. Values are write-only. */
export function EnvironmentTab({ deployment: { name } }: { readonly deployment: DeploymentDetail }) {
  const { t, formats } = useConsoleTexts();
  const { client } = useConsole();
  const queries = useQueryClient();
  const tell = useTell();
  const canDeploy = useRights().can('deploy');
  const [removing, setRemoving] = useState<string>();
  const { data, error, refetch } = useQuery({
    queryKey: QUERY_KEYS.environment(name),
    queryFn: ({ signal }) => client.get('/v1/env/list', { params: { query: { name } }, signal }),
  });
  const remove = useMutation({
    mutationFn: (key: string) => client.post('/v1/env/set', { body: { deployment_name: name, set: {}, unset: [key] } }),
    async onSuccess({ status }) {
      setRemoving(undefined);
      tell(t(`deployment.env.status.${status}`));
      await queries.invalidateQueries({ queryKey: QUERY_KEYS.deployment(name) });
    },
  });
  const columns: readonly Column<EnvironmentKey>[] = [
    {
      key: 'key',
      title: t('deployment.env.key'),
      track: 'minmax(0,2fr)',
      cell: ({ key }) => (
        <bdi className="font-mono text-xs" title={key}>
          {key}
        </bdi>
      ),
    },
    {
      key: 'updated',
      title: t('deployment.env.changed'),
      track: 'minmax(0,1fr)',
      cell: ({ updated_at }) => <span title={formats.time(updated_at)}>{formats.ago(updated_at, Date.now())}</span>,
    },
    {
      key: 'remove',
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
      {error && !data && <ErrorNote error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton rows={2} />}
      {data?.length === 0 && (
        <EmptyState
          icon={SquareAsterisk}
          title={t('deployment.env.empty')}
          text={t('deployment.env.emptyText')}
          command={`npx berth env set ${name} KEY=value`}
        />
      )}
      {data && data.length > 0 && (
        <VirtualTable label={t('deployment.tab.environment')} rows={data} columns={columns} rowKey={({ key }) => key} />
      )}
      {removing !== undefined && (
        <ConfirmDialog
          title={t('deployment.env.removeTitle', { key: removing })}
          description={t('deployment.env.removeText')}
          action={t('deployment.env.remove')}
          command={{
            cli: `npx berth env rm ${name} ${removing}`,
            http: { method: 'POST', path: '/v1/env/set', body: { deployment_name: name, unset: [removing] } },
          }}
          isOpen
          isBusy={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate(removing)}
          onClose={() => setRemoving(undefined)}
        />
      )}
    </div>
  );
}
