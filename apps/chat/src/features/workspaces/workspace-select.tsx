import { ErrorNote, Select } from '@berth/ui';
import { lazy, Suspense, useCallback, useState } from 'react';
import { useAgent } from '../../api/agent-context.ts';
import { FieldDialog } from '../../components/field-dialog.tsx';
import { useLoaded } from '../../components/use-loaded.ts';
import { pageAddress } from '../../page/page-address.ts';
import { useChatTexts } from '../../text/use-chat-texts.ts';

// Loaded on demand to keep the first load small.
const TeamDialog = lazy(async () => ({ default: (await import('./team-dialog.tsx')).TeamDialog }));

const PERSONAL = '-';
const NEW = '+';
const MANAGE = '=';

const go = (teamId: string | undefined) => location.assign(pageAddress({ chatId: undefined, teamId }));

/** A select that shows the current workspace and switches to another, which reloads the page. */
export function WorkspaceSelect() {
  const { t } = useChatTexts();
  const { api, teamId } = useAgent();
  const { value: rows = [], error } = useLoaded(useCallback(() => api.get('/workspaces'), [api]));
  const [dialog, setDialog] = useState<typeof NEW | typeof MANAGE | undefined>();
  if (error !== undefined) return <ErrorNote error={error} />;
  const options = [
    ...rows.map(({ id, type, name, icon }) => ({
      value: type === 'personal' ? PERSONAL : id,
      label: type === 'personal' ? t('team.personal') : icon === undefined ? name : `${icon} ${name}`,
    })),
    ...(teamId === undefined ? [] : [{ value: MANAGE, label: t('team.manage') }]),
    { value: NEW, label: t('team.new') },
  ];
  const choose = (value: string) => {
    if (value === NEW || value === MANAGE) setDialog(value);
    else go(value === PERSONAL ? undefined : value);
  };
  return (
    <>
      <Select
        {...{ label: t('team.workspace'), isLabelHidden: true, value: teamId ?? PERSONAL, options, onChange: choose }}
      />
      {dialog === NEW && (
        <FieldDialog
          title={t('team.newTitle')}
          label={t('team.name')}
          action={t('team.create')}
          maxLength={80}
          onSubmit={async (name) => go((await api.post('/workspaces', { body: { name } })).id)}
          onClose={() => setDialog(undefined)}
        />
      )}
      {dialog === MANAGE && teamId !== undefined && (
        <Suspense>
          <TeamDialog teamId={teamId} onClose={() => setDialog(undefined)} />
        </Suspense>
      )}
    </>
  );
}
