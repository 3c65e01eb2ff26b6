import { Button, ConfirmDialog, Dialog, ErrorNote, Field, Skeleton, useTell } from '@berth/ui';
import { useStore } from '@berth/ui/store';
import { type FormEvent, useEffect, useMemo, useState } from 'react';
import { useAgent } from '../../api/agent-context.ts';
import { pageAddress } from '../../page/page-address.ts';
import { useChatTexts } from '../../text/use-chat-texts.ts';
import { GENERAL_ID } from './general.ts';
import { MemberList } from './member-list.tsx';
import { createTeam, rightsIn, type Team } from './team.ts';

/** A dialog to rename a team, manage its members, leave it or delete it. */
export function TeamDialog({ teamId, onClose }: { readonly teamId: string; onClose(): void }) {
  const { t } = useChatTexts();
  const { api } = useAgent();
  const team = useMemo(() => createTeam(api, teamId), [api, teamId]);
  const { team: row, problem } = useStore(team.state);
  const [leaving, setLeaving] = useState<'leave' | 'delete' | undefined>();
  const [error, setError] = useState<unknown>();
  useEffect(() => void team.refresh(), [team]);
  const goOut = async () => {
    try {
      await (leaving === 'delete' ? team.destroy() : team.leave());
      location.assign(pageAddress({ chatId: undefined, teamId: undefined }));
    } catch (failure) {
      setError(failure);
    }
  };
  const rights = row && rightsIn(row);
  return (
    <Dialog title={t('team.manageTitle', { name: row?.name ?? '…' })} isOpen onClose={onClose} isWide>
      {problem !== undefined && <ErrorNote error={problem} onRetry={() => void team.refresh()} />}
      {row === undefined && problem === undefined && <Skeleton shape="form" rows={3} />}
      {row && rights && (
        <div className="flex flex-col gap-6">
          {rights.mayRename && <NameForm key={row.name} team={team} name={row.name} icon={row.icon ?? ''} />}
          <MemberList team={team} isGeneral={row.id === GENERAL_ID} mayManage={rights.mayManageMembers} />
          <div className="flex flex-wrap justify-end gap-2">
            {rights.mayLeave && <Button onClick={() => setLeaving('leave')}>{t('team.leave')}</Button>}
            {rights.mayRename && (
              <Button look="danger" onClick={() => setLeaving('delete')}>
                {t('team.delete')}
              </Button>
            )}
          </div>
          <ConfirmDialog
            title={leaving === 'delete' ? t('team.delete') : t('team.leave')}
            description={leaving === 'delete' ? t('team.deleteText') : t('team.leaveText')}
            action={leaving === 'delete' ? t('files.delete') : t('team.leaveAction')}
            typedName={leaving === 'delete' ? row.name : undefined}
            isOpen={leaving !== undefined}
            error={error}
            onConfirm={() => void goOut()}
            onClose={() => {
              setError(undefined);
              setLeaving(undefined);
            }}
          />
        </div>
      )}
    </Dialog>
  );
}

interface NameFormProps {
  readonly team: Team;
  readonly name: string;
  readonly icon: string;
}

function NameForm({ team, name: firstName, icon: firstIcon }: NameFormProps) {
  const { t } = useChatTexts();
  const [name, setName] = useState(firstName);
  const [icon, setIcon] = useState(firstIcon);
  const [error, setError] = useState<unknown>();
  const tell = useTell();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setError(undefined);
    try {
      await team.change({ name, icon });
      tell(t('team.saved'));
    } catch (failure) {
      setError(failure);
    }
  };
  return (
    <form className="flex flex-wrap items-end gap-2" onSubmit={(event) => void submit(event)}>
      <Field
        className="min-w-40 flex-1"
        {...{ label: t('team.name'), required: true, maxLength: 80, dir: 'auto', value: name, onChange: setName }}
      />
      <Field className="w-36" {...{ label: t('team.icon'), maxLength: 16, value: icon, onChange: setIcon }} />
      <Button type="submit">{t('chats.save')}</Button>
      {error !== undefined && <ErrorNote error={error} />}
    </form>
  );
}
