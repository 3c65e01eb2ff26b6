import { INPUT_CLASS, Select } from '@berth/ui';
import { type FormEvent, useEffect, useState } from 'react';
import { useKeys, useMembers } from '../../api/shared-lists.ts';
import { nameWithEmail } from '../../components/name-with-email.ts';
import { RangePicker } from '../../components/time-range/range-picker.tsx';
import { useConsoleTexts } from '../../text/use-console-texts.ts';
import type { AuditView } from './audit-view.ts';
import { useAuditWords } from './audit-words.ts';

interface AuditBarProps {
  readonly view: AuditView;
  onChange(changes: Partial<AuditView>): void;
}

const STALE_MS = 60_000;

/** Filters of the audit log: actor, action, target and time. */
export function AuditBar({ view, onChange }: AuditBarProps) {
  const { t } = useConsoleTexts();
  const members = useMembers({ staleTime: STALE_MS });
  const keys = useKeys({ staleTime: STALE_MS });
  const words = useAuditWords();
  const actions = [{ value: '', label: t('audit.anyAction') }, ...words.options()];
  const actors = [
    { value: '', label: t('audit.anyone') },
    { value: 'system', label: t('audit.actor.system') },
    ...(members.data ?? []).map((member) => ({ value: member.user_id, label: nameWithEmail(member) })),
    ...(keys.data ?? []).map((key) => ({ value: key.id, label: t('audit.actor.key', { name: key.name }) })),
  ];
  // A removed person no longer has a name in the list, but still appears in the log.
  const withChosen = (options: typeof actors, value: string, label: string) =>
    options.some((option) => option.value === value) ? options : [...options, { value, label }];
  return (
    <div className="mb-3 flex flex-wrap items-center gap-2">
      <Select
        label={t('audit.actor')}
        isLabelHidden
        className="w-48 max-sm:min-w-[40%] max-sm:flex-1"
        value={view.actor}
        options={withChosen(actors, view.actor, view.actor)}
        onChange={(actor) => onChange({ actor, entry: undefined })}
      />
      <Select
        label={t('audit.action')}
        isLabelHidden
        className="w-56 max-sm:min-w-[40%] max-sm:flex-1"
        value={view.action}
        options={withChosen(actions, view.action, words.action(view.action))}
        onChange={(action) => onChange({ action, entry: undefined })}
      />
      <RangePicker
        key={JSON.stringify(view.range ?? null)}
        range={view.range}
        anyLabel={t('audit.anyTime')}
        onChange={(range) => onChange({ range, entry: undefined })}
      />
      <WrittenPart
        label={t('audit.target')}
        hint={t('audit.target.hint')}
        value={view.target}
        onSubmit={(target) => onChange({ target, entry: undefined })}
      />
    </div>
  );
}

interface WrittenPartProps {
  readonly label: string;
  readonly hint: string;
  readonly value: string;
  onSubmit(value: string): void;
}

/** Text field that applies its filter on Enter or on blur. */
function WrittenPart({ label, hint, value, onSubmit }: WrittenPartProps) {
  const [written, setWritten] = useState(value);
  useEffect(() => setWritten(value), [value]);
  const submit = (event?: FormEvent) => {
    event?.preventDefault();
    if (written.trim() !== value) onSubmit(written.trim());
  };
  return (
    <form onSubmit={submit} className="w-60 max-sm:w-full">
      <input
        type="search"
        dir="ltr"
        aria-label={label}
        placeholder={hint}
        value={written}
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => setWritten(event.target.value)}
        onBlur={() => submit()}
        className={`${INPUT_CLASS} placeholder:text-start rtl:placeholder:text-end`}
      />
    </form>
  );
}
