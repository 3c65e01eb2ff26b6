import { Button, CopyCode, Dialog, ErrorNote, Field, Select } from '@berth/ui';
import { type FormEvent, lazy, Suspense, useCallback, useState } from 'react';
import { useAgent } from '../../api/agent-context.ts';
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
  const me = rows.find(({ type }) => type === 'personal')?.created_by ?? undefined;
  const choose = (value: string) => {
    if (value === NEW || value === MANAGE) setDialog(value);
    else go(value === PERSONAL ? undefined : value);
  };
  return (
    <>
      <Select
        {...{ label: t('team.workspace'), isLabelHidden: true, value: teamId ?? PERSONAL, options, onChange: choose }}
      />
      {dialog === NEW && <NewTeamDialog me={me} onClose={() => setDialog(undefined)} />}
      {dialog === MANAGE && teamId !== undefined && (
        <Suspense>
          <TeamDialog teamId={teamId} onClose={() => setDialog(undefined)} />
        </Suspense>
      )}
    </>
  );
}

interface NewTeamDialogProps {
  /** The person's user id. */
  readonly me: string | undefined;
  onClose(): void;
}

function NewTeamDialog({ me, onClose }: NewTeamDialogProps) {
  const { t } = useChatTexts();
  const { api } = useAgent();
  const [name, setName] = useState('');
  const [error, setError] = useState<unknown>();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    try {
      go((await api.post('/workspaces', { body: { name: name.trim() } })).id);
    } catch (failure) {
      setError(failure);
    }
  };
  return (
    <Dialog title={t('team.newTitle')} isOpen onClose={onClose}>
      <form className="flex flex-col gap-4" onSubmit={(event) => void submit(event)}>
        <Field label={t('team.name')} required dir="auto" maxLength={80} value={name} onChange={setName} />
        {error !== undefined && <ErrorNote error={error} />}
        <Button type="submit" look="primary" className="self-end">
          {t('team.create')}
        </Button>
      </form>
      {me !== undefined && (
        <div className="mt-4 flex flex-col gap-1 border-t border-line pt-4">
          <p className="text-xs text-ink-soft">{t('team.me')}</p>
          <CopyCode code={me} />
        </div>
      )}
    </Dialog>
  );
}
