import type { Person, WorkspaceMember } from '@berth/contract/agent';
import { Button, ErrorNote, Field, IconButton, NameWithId, Select } from '@berth/ui';
import { useStore } from '@berth/ui/store';
import { UserMinus } from 'lucide-react';
import { type FormEvent, useEffect, useId, useState } from 'react';
import { messageOf } from '../../api/message-of.ts';
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
          {...{ team, isGeneral }}
          onAdd={(userId, role) => attempt(isGeneral ? team.remove(userId) : team.put(userId, role))}
        />
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

function MemberRow({ member, mayManage, isMe, onRole, onRemove }: MemberRowProps) {
  const { t } = useChatTexts();
  const { user_id: id, email, role } = member;
  const name = member.name ?? email ?? id;
  return (
    <li className="flex min-h-11 items-center gap-2 py-1">
      <span className="min-w-0 flex-1">
        <span className="flex items-center gap-2">
          <NameWithId id={id}>{name}</NameWithId>
          {isMe && <span className="text-xs text-ink-soft">{t('team.you')}</span>}
        </span>
        {email !== undefined && email !== name && <bdi className="block truncate text-xs text-ink-soft">{email}</bdi>}
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
  readonly team: Team;
  readonly isGeneral: boolean;
  /** Returns true when the person was added. */
  onAdd(userId: string, role: 'admin' | 'editor'): Promise<boolean>;
}

function AddForm({ team, isGeneral, onAdd }: AddFormProps) {
  const { t } = useChatTexts();
  const listId = useId();
  const [text, setText] = useState('');
  const [role, setRole] = useState<'admin' | 'editor'>('editor');
  const [people, setPeople] = useState<readonly Person[]>([]);
  const [problem, setProblem] = useState<string | undefined>();
  useEffect(() => {
    let isLatest = true;
    // Without suggestions an e-mail address can still be entered.
    const show = (found: readonly Person[]) => isLatest && setPeople(found);
    team.findPeople(text.trim()).then(show, () => show([]));
    return () => {
      isLatest = false;
    };
  }, [team, text]);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setProblem(undefined);
    try {
      const found = await team.idOf(text);
      if (found === 'none') setProblem(t('team.noPerson', { text: text.trim() }));
      else if (found === 'many') setProblem(t('team.manyPeople', { text: text.trim() }));
      else if (await onAdd(found.id, role)) setText('');
    } catch (failure) {
      setProblem(messageOf(failure));
    }
  };
  return (
    <form
      aria-label={isGeneral ? t('team.exclude') : t('team.add')}
      className="flex flex-wrap items-end gap-2"
      onSubmit={(event) => void submit(event)}
    >
      <Field
        className="min-w-48 flex-1"
        label={`${isGeneral ? t('team.exclude') : t('team.add')}: ${t('team.person')}`}
        {...{ required: true, dir: 'auto', spellCheck: false, autoComplete: 'off', list: listId, problem }}
        {...{ value: text, onChange: setText }}
      />
      <datalist id={listId}>
        {people.map(({ user_id: id, name, email }) => (
          <option key={id} value={email ?? name}>
            {name}
          </option>
        ))}
      </datalist>
      {!isGeneral && <RoleSelect label={t('team.newRole')} isLabelHidden value={role} onChange={setRole} />}
      <Button type="submit">{isGeneral ? t('team.excludeAction') : t('team.addAction')}</Button>
      <p className="w-full text-xs text-ink-soft">{t('team.personHint')}</p>
    </form>
  );
}
