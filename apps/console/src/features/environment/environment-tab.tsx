import type { Client } from '@berth/client';
import type { DeploymentDetail, EnvironmentKey } from '@berth/contract';
import {
  Button,
  type Column,
  ConfirmDialog,
  EmptyState,
  Form,
  FormActions,
  IconButton,
  Time,
  useCommand,
  VirtualTable,
} from '@berth/ui';
import { Pencil, SquareAsterisk, Trash2, Undo2 } from 'lucide-react';
import { useState } from 'react';
import { QUERY_KEYS } from '../../api/query-keys.ts';
import { useAction } from '../../api/use-action.ts';
import { useRead } from '../../api/use-read.ts';
import { useRights } from '../../api/use-rights.ts';
import { Loaded } from '../../components/loaded.tsx';
import { useUnsavedGuard } from '../../components/use-unsaved-guard.tsx';
import { useConsoleTexts } from '../../text/use-console-texts.ts';
import { useVariables, type VariablesDraft } from './use-variables.ts';
import { VariablesEditor } from './variables-editor.tsx';

/** Tab with a deployment's variables and secrets. Values of secrets are write-only. */
export function EnvironmentTab({ deployment: { name } }: { readonly deployment: DeploymentDetail }) {
  const { t } = useConsoleTexts();
  const canDeploy = useRights().can('deploy');
  const [removed, setRemoved] = useState<readonly string[]>([]);
  const toggle = (key: string) =>
    setRemoved(removed.includes(key) ? removed.filter((one) => one !== key) : [...removed, key]);
  const draft = useVariables();
  const keys = useRead(QUERY_KEYS.environment(name), (client, signal) =>
    client.get('/v1/env/list', { params: { query: { name } }, signal }),
  );
  const columns: readonly Column<EnvironmentKey>[] = [
    {
      title: t('shell.name'),
      track: 'minmax(0,2fr)',
      cell: ({ key }) => (
        <bdi className={`font-mono text-xs ${removed.includes(key) ? 'text-ink-soft line-through' : ''}`} title={key}>
          {key}
        </bdi>
      ),
    },
    {
      title: t('deployment.env.value'),
      track: 'minmax(0,3fr)',
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
      title: t('deployments.updated'),
      cell: ({ updated_at }) => <Time at={updated_at} />,
    },
    {
      title: t('deployment.env.remove'),
      isTitleHidden: true,
      track: '6rem',
      cell: ({ key, value }) =>
        canDeploy && (
          <span className="flex justify-end">
            {removed.includes(key) ? (
              <IconButton icon={Undo2} label={t('deployment.env.keep', { key })} onClick={() => toggle(key)} />
            ) : (
              <>
                <IconButton
                  icon={Pencil}
                  label={t('deployment.env.replace', { key })}
                  onClick={() => draft.add([{ key, value: value ?? '', isPlain: value !== undefined }])}
                />
                <IconButton icon={Trash2} label={t('deployment.env.removeKey', { key })} onClick={() => toggle(key)} />
              </>
            )}
          </span>
        ),
    },
  ];
  return (
    <div className="flex flex-col gap-4">
      {canDeploy && <SetVariables name={name} draft={draft} removed={removed} onSaved={() => setRemoved([])} />}
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
    </div>
  );
}

interface SetVariablesProps {
  readonly name: string;
  readonly draft: VariablesDraft;
  /** Names of the variables to remove. */
  readonly removed: readonly string[];
  onSaved(): void;
}

/** Form that sets and removes variables in one request, which starts one revision. */
function SetVariables({ name, draft, removed, onSaved }: SetVariablesProps) {
  const { t, language } = useConsoleTexts();
  const [isAsking, setAsking] = useState(false);
  const keys = Object.keys(draft.values);
  // A name that is also typed gets the new value.
  const unset = removed.filter((key) => !keys.includes(key));
  const save = async (client: Client) => {
    const answer = await client.post('/v1/env/set', {
      body: { deployment_name: name, ...draft.change, unset },
    });
    draft.clear();
    onSaved();
    return answer;
  };
  const set = useAction(save, {
    refreshes: [QUERY_KEYS.deployment(name)],
    said: ({ status }) => t(`deployment.env.status.${status}`),
  });
  const guard = useUnsavedGuard([
    ...(draft.isDirty ? (keys.length > 0 ? keys : [t('deployment.env.value')]) : []),
    ...unset,
  ]);
  const named = keys.length === 0 && unset.length === 0 ? ['KEY'] : keys;
  const commands = [
    ...(named.length === 0 ? [] : [`npx berth env set ${name} ${named.map((key) => `${key}=value`).join(' ')}`]),
    ...(unset.length === 0 ? [] : [`npx berth env rm ${name} ${unset.join(' ')}`]),
  ];
  const canSave = (keys.length > 0 || unset.length > 0) && draft.isValid;
  const submit = () => (unset.length > 0 ? setAsking(true) : set.mutate());
  useCommand({
    label: t('deployment.env.form'),
    cli: commands.join(' && '),
    http: {
      method: 'POST',
      path: '/v1/env/set',
      body: { deployment_name: name, set: Object.fromEntries(named.map((key) => [key, 'value'])), unset },
    },
  });
  return (
    <Form onSubmit={() => canSave && submit()} error={set.error}>
      <div>
        <h2 className="font-semibold">{t('deployment.env.form')}</h2>
        <p className="text-ink-soft">{t('deployment.env.hint')}</p>
      </div>
      <VariablesEditor draft={draft} />
      {guard}
      <ConfirmDialog
        title={t('deployment.env.removeTitle', { key: new Intl.ListFormat(language).format(unset) })}
        description={t('deployment.env.removeText', { count: unset.length })}
        action={t('deployment.env.set')}
        isOpen={isAsking}
        onConfirm={() => {
          setAsking(false);
          set.mutate();
        }}
        onClose={() => setAsking(false)}
      />
      <FormActions>
        {/* The command leaves out the values, which would end up in the shell history. */}
        <Button look="primary" type="submit" isBusy={set.isPending} disabled={!canSave}>
          {t('deployment.env.set')}
        </Button>
      </FormActions>
    </Form>
  );
}
