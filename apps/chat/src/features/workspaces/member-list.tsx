import type { WorkspaceMember } from '@berth/contract/agent';
import { Button, CopyCode, ErrorNote, Field, IconButton, MiddleText, Select } from '@berth/ui';
import { useStore } from '@berth/ui/store';
import { UserMinus } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { useChatTexts } from '../../text/use-chat-texts.ts';
import type { Team } from './team.ts';

export interface MemberListProps {
  readonly team: Team;
  /** True for the General team, which includes everyone: its rows are the excluded people. */
  readonly isGeneral: boolean;
  readonly mayManage: boolean;
}

/** The members of a team with their roles, or the people excluded from General. */
export function MemberList({ team, isGeneral, mayManage }: MemberListProps) {
  const { t } = useChatTexts();
  const { members, me } = useStore(team.state);
  const [error, setError] = useState<unknown>();
  const attempt = async (work: Promise<void>) => {
    setError(undefined);
    try {
      await work;
      return true;
    } catch (failure) {
      setError(failure);
      return false;
    }
  };
  return (
    <section className="flex flex-col gap-2">
      <h3 className="font-medium">{isGeneral ? t('team.excluded') : t('team.members')}</h3>
      {isGeneral && <p className="text-ink-soft">{t('team.generalText')}</p>}
      <ul className="flex max-h-72 flex-col divide-y divide-line overflow-y-auto">
        {members.map((member) => (
          <MemberRow
            key={member.user_id}
            {...{ member, mayManage }}
            isMe={member.user_id === me}
            onRole={(role) => void attempt(team.put(member.user_id, role))}
            onRemove={() => void attempt(team.remove(member.user_id))}
          />
        ))}
      </ul>
      {error !== undefined && <ErrorNote error={error} />}
      {mayManage && (
        <AddForm
          isGeneral={isGeneral}
          onAdd={(userId, role) => attempt(isGeneral ? team.remove(userId) : team.put(userId, role))}
        />
      )}
      {me !== undefined && (
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1 pt-2">
          <p className="text-xs text-ink-soft">{t('team.me')}</p>
          <CopyCode code={me} />
        </div>
      )}
    </section>
  );
}

interface MemberRowProps {
  readonly member: WorkspaceMember;
  readonly mayManage: boolean;
  readonly isMe: boolean;
  onRole(role: 'admin' | 'editor'): void;
  onRemove(): void;
}

function MemberRow({ member: { user_id: name, role }, mayManage, isMe, onRole, onRemove }: MemberRowProps) {
  const { t } = useChatTexts();
  return (
    <li className="flex min-h-11 items-center gap-2 py-1">
      <span className="min-w-0 flex-1">
        <MiddleText text={name} />
        {isMe && <span className="ms-2 text-xs text-ink-soft">{t('team.you')}</span>}
      </span>
      {role === 'excluded' && mayManage && (
        <Button onClick={() => onRole('editor')}>{t('team.letIn', { name })}</Button>
      )}
      {role !== 'excluded' && (role === 'owner' || !mayManage) && (
        <span className="text-ink-soft">{t(`team.role.${role}`)}</span>
      )}
      {(role === 'admin' || role === 'editor') && mayManage && (
        <>
          <RoleSelect label={t('team.role', { name })} isLabelHidden value={role} onChange={onRole} />
          <IconButton icon={UserMinus} label={t('team.remove', { name })} onClick={onRemove} />
        </>
      )}
    </li>
  );
}

interface RoleSelectProps {
  readonly label: string;
  readonly value: 'admin' | 'editor';
  readonly isLabelHidden?: boolean;
  onChange(role: 'admin' | 'editor'): void;
}

function RoleSelect(props: RoleSelectProps) {
  const { t } = useChatTexts();
  const options = (['editor', 'admin'] as const).map((value) => ({ value, label: t(`team.role.${value}`) }));
  return <Select {...props} options={options} className="w-32" />;
}

interface AddFormProps {
  readonly isGeneral: boolean;
  /** Returns true when the person was added. */
  onAdd(userId: string, role: 'admin' | 'editor'): Promise<boolean>;
}

function AddForm({ isGeneral, onAdd }: AddFormProps) {
  const { t } = useChatTexts();
  const [userId, setUserId] = useState('');
  const [role, setRole] = useState<'admin' | 'editor'>('editor');
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (await onAdd(userId.trim(), role)) setUserId('');
  };
  return (
    <form
      aria-label={isGeneral ? t('team.exclude') : t('team.add')}
      className="flex flex-wrap items-end gap-2"
      onSubmit={(event) => void submit(event)}
    >
      <Field
        className="min-w-48 flex-1"
        label={`${isGeneral ? t('team.exclude') : t('team.add')}: ${t('team.userId')}`}
        {...{ required: true, dir: 'ltr', spellCheck: false, autoComplete: 'off', value: userId, onChange: setUserId }}
      />
      {!isGeneral && (
        <RoleSelect label={t('team.role', { name: userId })} isLabelHidden value={role} onChange={setRole} />
      )}
      <Button type="submit">{isGeneral ? t('team.excludeAction') : t('team.addAction')}</Button>
      <p className="w-full text-xs text-ink-soft">{t('team.userIdHint')}</p>
    </form>
  );
}
