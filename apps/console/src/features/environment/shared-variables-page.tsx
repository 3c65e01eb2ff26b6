import type { SharedVariable } from '@berth/contract';
import {
  Button,
  type Column,
  EmptyState,
  Form,
  FormActions,
  IconButton,
  Time,
  useCommand,
  VirtualTable,
} from '@berth/ui';
import { Pencil, Share2, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { QUERY_KEYS } from '../../api/query-keys.ts';
import { useAction } from '../../api/use-action.ts';
import { useRead } from '../../api/use-read.ts';
import { useRights } from '../../api/use-rights.ts';
import { ConfirmAction } from '../../components/confirm-action.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { useUnsavedGuard } from '../../components/use-unsaved-guard.tsx';
import { useConsoleTexts } from '../../text/use-console-texts.ts';
import { useVariables, type VariablesDraft } from './use-variables.ts';
import { VariablesEditor } from './variables-editor.tsx';

/** Page of the account's shared variables, which variables of deployments refer to. */
export function SharedVariablesPage() {
  const { t } = useConsoleTexts();
  const canDeploy = useRights().can('deploy');
  const draft = useVariables();
  const [removing, setRemoving] = useState<string>();
  const variables = useRead(QUERY_KEYS.sharedVariables, (client, signal) => client.get('/v1/env/shared', { signal }));
  const columns: readonly Column<SharedVariable>[] = [
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
      title: t('deployment.env.value'),
      track: 'minmax(0,2fr)',
      cell: ({ value }) =>
        value === undefined ? (
          <span className="text-ink-soft">{t('deployment.env.secret')}</span>
        ) : (
          <bdi dir="ltr" className="font-mono text-xs" title={value}>
            {value}
          </bdi>
        ),
    },
    {
      title: t('shared.usedBy'),
      track: 'minmax(0,2fr)',
      cell: ({ deployments }) => (
        <bdi dir="ltr" title={deployments.join(', ')}>
          {deployments.join(', ')}
        </bdi>
      ),
    },
    { title: t('deployments.updated'), isWideOnly: true, cell: ({ updated_at }) => <Time at={updated_at} /> },
    {
      title: t('deployment.env.remove'),
      isTitleHidden: true,
      track: '6rem',
      cell: ({ key, value, deployments }) =>
        canDeploy && (
          <span className="flex justify-end">
            <IconButton
              icon={Pencil}
              label={t('deployment.env.replace', { key })}
              onClick={() => draft.add([{ key, value: value ?? '', isPlain: value !== undefined }])}
            />
            <IconButton
              icon={Trash2}
              label={t('deployment.env.removeKey', { key })}
              disabled={deployments.length > 0}
              onClick={() => setRemoving(key)}
            />
          </span>
        ),
    },
  ];
  return (
    <>
      <PageHead
        title={t('nav.shared')}
        command={{ cli: 'npx berth shared ls', http: { method: 'GET', path: '/v1/env/shared' } }}
      />
      <div className="flex flex-col gap-4">
        {canDeploy && <SetShared draft={draft} />}
        <Loaded
          query={variables}
          rows={2}
          empty={
            <EmptyState
              icon={Share2}
              title={t('shared.empty')}
              text={t('shared.emptyText')}
              command="npx berth shared set KEY=value"
            />
          }
        >
          {(rows) => <VirtualTable label={t('nav.shared')} rows={rows} columns={columns} rowKey={({ key }) => key} />}
        </Loaded>
      </div>
      {removing !== undefined && (
        <ConfirmAction
          title={t('deployment.env.removeTitle', { key: removing })}
          description={t('shared.removeText')}
          action={t('deployment.env.remove')}
          command={{
            cli: `npx berth shared rm ${removing}`,
            http: { method: 'POST', path: '/v1/env/shared/set', body: { unset: [removing] } },
          }}
          run={(client) => client.post('/v1/env/shared/set', { body: { unset: [removing] } })}
          refreshes={[QUERY_KEYS.sharedVariables]}
          said={() => t('shared.saved')}
          onClose={() => setRemoving(undefined)}
        />
      )}
    </>
  );
}

function SetShared({ draft }: { readonly draft: VariablesDraft }) {
  const { t } = useConsoleTexts();
  const keys = Object.keys(draft.values);
  const set = useAction((client) => client.post('/v1/env/shared/set', { body: draft.change }), {
    refreshes: [QUERY_KEYS.sharedVariables, QUERY_KEYS.anyDeployment],
    said: ({ deployments }) =>
      deployments.length === 0
        ? t('shared.saved')
        : t('shared.savedFor', { names: deployments.map(({ name }) => name).join(', ') }),
    onDone: () => draft.clear(),
  });
  const guard = useUnsavedGuard(draft.isDirty ? (keys.length > 0 ? keys : [t('deployment.env.value')]) : []);
  const named = keys.length === 0 ? ['KEY'] : keys;
  const canSave = keys.length > 0 && draft.isValid;
  useCommand({
    label: t('deployment.env.form'),
    // The command leaves out the values, which would end up in the shell history.
    cli: `npx berth shared set ${named.map((key) => `${key}=value`).join(' ')}`,
    http: {
      method: 'POST',
      path: '/v1/env/shared/set',
      body: { set: Object.fromEntries(named.map((key) => [key, 'value'])) },
    },
  });
  return (
    <Form onSubmit={() => canSave && set.mutate()} error={set.error}>
      <div>
        <h2 className="font-semibold">{t('deployment.env.form')}</h2>
        <p className="text-ink-soft">{t('shared.hint', { reference: '${{ shared.KEY }}' })}</p>
      </div>
      <VariablesEditor draft={draft} />
      {guard}
      <FormActions>
        <Button look="primary" type="submit" isBusy={set.isPending} disabled={!canSave}>
          {t('deployment.env.set')}
        </Button>
      </FormActions>
    </Form>
  );
}
