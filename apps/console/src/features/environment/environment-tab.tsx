import type { Client } from '@berth/client';
import type { DeploymentDetail, EnvironmentKey } from '@berth/contract';
import {
  Button,
  type Column,
  CopyCommand,
  EmptyState,
  Field,
  Form,
  FormActions,
  IconButton,
  VirtualTable,
} from '@berth/ui';
import { SquareAsterisk, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { QUERY_KEYS } from '../../api/query-keys.ts';
import { useAction } from '../../api/use-action.ts';
import { useRead } from '../../api/use-read.ts';
import { useRights } from '../../api/use-rights.ts';
import { ConfirmAction } from '../../components/confirm-action.tsx';
import { CodeNameField } from '../../components/fields.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { useConsoleTexts } from '../../text/use-console-texts.ts';

/** Tab with the names of a deployment's variables and secrets. Values are write-only. */
export function EnvironmentTab({ deployment: { name } }: { readonly deployment: DeploymentDetail }) {
  const { t, formats } = useConsoleTexts();
  const canDeploy = useRights().can('deploy');
  const [removing, setRemoving] = useState<string>();
  const keys = useRead(QUERY_KEYS.environment(name), (client, signal) =>
    client.get('/v1/env/list', { params: { query: { name } }, signal }),
  );
  const columns: readonly Column<EnvironmentKey>[] = [
    {
      title: t('shell.name'),
      track: 'minmax(0,2fr)',
      cell: ({ key }) => (
        <bdi className="font-mono text-xs" title={key}>
          {key}
        </bdi>
      ),
    },
    {
      title: t('deployments.updated'),
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
          run={(client) => client.post('/v1/env/set', { body: { deployment_name: name, set: {}, unset: [removing] } })}
          refreshes={[QUERY_KEYS.deployment(name)]}
          said={({ status }) => t(`deployment.env.status.${status}`)}
          onClose={() => setRemoving(undefined)}
        />
      )}
    </div>
  );
}

/** Form that sets one variable. Saving starts a new revision with it. */
function SetVariable({ name }: { readonly name: string }) {
  const { t } = useConsoleTexts();
  const [key, setKey] = useState('');
  const [value, setValue] = useState('');
  const save = async (client: Client) => {
    const body = { deployment_name: name, set: { [key]: value }, unset: [] };
    const answer = await client.post('/v1/env/set', { body });
    setKey('');
    setValue('');
    return answer;
  };
  const set = useAction(save, {
    refreshes: [QUERY_KEYS.deployment(name)],
    said: ({ status }) => t(`deployment.env.status.${status}`),
  });
  return (
    <Form onSubmit={() => set.mutate()} error={set.error}>
      <div className="grid gap-3 sm:grid-cols-2">
        <CodeNameField
          label={t('shell.name')}
          value={key}
          onChange={setKey}
          required
          placeholder="API_KEY"
          autoCapitalize="none"
        />
        <Field
          label={t('deployment.env.value')}
          hint={t('deployment.env.valueHint')}
          type="password"
          value={value}
          onChange={setValue}
          autoComplete="new-password"
          dir="ltr"
        />
      </div>
      <FormActions>
        {/* The command leaves out the value, which would end up in the shell history. */}
        <CopyCommand
          cli={`npx berth env set ${name} ${key || 'KEY'}=value`}
          http={{
            method: 'POST',
            path: '/v1/env/set',
            body: { deployment_name: name, set: { [key || 'KEY']: 'value' } },
          }}
        />
        <Button look="primary" type="submit" isBusy={set.isPending} disabled={key === ''}>
          {t('deployment.env.set')}
        </Button>
      </FormActions>
    </Form>
  );
}
