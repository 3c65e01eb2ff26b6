import type { Client } from '@berth/client';
import type { DeploymentDetail, EnvironmentKey } from '@berth/contract';
import { Button, type Column, EmptyState, Form, FormActions, IconButton, useCommand, VirtualTable } from '@berth/ui';
import { Pencil, SquareAsterisk, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { QUERY_KEYS } from '../../api/query-keys.ts';
import { useAction } from '../../api/use-action.ts';
import { useRead } from '../../api/use-read.ts';
import { useRights } from '../../api/use-rights.ts';
import { ConfirmAction } from '../../components/confirm-action.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { useUnsavedGuard } from '../../components/use-unsaved-guard.tsx';
import { useConsoleTexts } from '../../text/use-console-texts.ts';
import { useVariables, type VariablesDraft } from './use-variables.ts';
import { VariablesEditor } from './variables-editor.tsx';

/** Tab with the names of a deployment's variables and secrets. Values are write-only. */
export function EnvironmentTab({ deployment: { name } }: { readonly deployment: DeploymentDetail }) {
  const { t, formats } = useConsoleTexts();
  const canDeploy = useRights().can('deploy');
  const [removing, setRemoving] = useState<string>();
  const draft = useVariables();
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
      track: '6rem',
      cell: ({ key }) =>
        canDeploy && (
          <span className="flex justify-end">
            <IconButton
              icon={Pencil}
              label={t('deployment.env.replace', { key })}
              onClick={() => draft.add([{ key, value: '' }])}
            />
            <IconButton
              icon={Trash2}
              label={t('deployment.env.removeTitle', { key })}
              onClick={() => setRemoving(key)}
            />
          </span>
        ),
    },
  ];
  return (
    <div className="flex flex-col gap-4">
      {canDeploy && <SetVariables name={name} draft={draft} />}
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

interface SetVariablesProps {
  readonly name: string;
  readonly draft: VariablesDraft;
}

/** Form that sets variables in one request, which starts one revision. */
function SetVariables({ name, draft }: SetVariablesProps) {
  const { t } = useConsoleTexts();
  const keys = Object.keys(draft.values);
  const save = async (client: Client) => {
    const answer = await client.post('/v1/env/set', {
      body: { deployment_name: name, set: draft.values, unset: [] },
    });
    draft.clear();
    return answer;
  };
  const set = useAction(save, {
    refreshes: [QUERY_KEYS.deployment(name)],
    said: ({ status }) => t(`deployment.env.status.${status}`),
  });
  const guard = useUnsavedGuard(draft.isDirty ? (keys.length > 0 ? keys : [t('deployment.env.value')]) : []);
  const named = keys.length === 0 ? ['KEY'] : keys;
  const canSave = keys.length > 0 && draft.isValid;
  useCommand({
    label: t('deployment.env.form'),
    cli: `npx berth env set ${name} ${named.map((key) => `${key}=value`).join(' ')}`,
    http: {
      method: 'POST',
      path: '/v1/env/set',
      body: { deployment_name: name, set: Object.fromEntries(named.map((key) => [key, 'value'])) },
    },
  });
  return (
    <Form onSubmit={() => canSave && set.mutate()} error={set.error}>
      <div>
        <h2 className="font-semibold">{t('deployment.env.form')}</h2>
        <p className="text-ink-soft">{t('deployment.env.hint')}</p>
      </div>
      <VariablesEditor draft={draft} />
      {guard}
      <FormActions>
        {/* The command leaves out the values, which would end up in the shell history. */}
        <Button look="primary" type="submit" isBusy={set.isPending} disabled={!canSave}>
          {t('deployment.env.set')}
        </Button>
      </FormActions>
    </Form>
  );
}
