import { INPUT_CLASS, Select } from '@berth/ui';
import { type FormEvent, useEffect, useId, useState } from 'react';
import { useKeys, useMembers } from '../../api/shared-lists.ts';
import { RangePicker } from '../../components/time-range/range-picker.tsx';
import { useConsoleTexts } from '../../text/use-console-texts.ts';
import type { AuditView } from './audit-view.ts';

interface AuditBarProps {
  readonly view: AuditView;
  onChange(changes: Partial<AuditView>): void;
}

/** Nouns of the recorded actions. An action is a noun, a dot and a verb. */
const NOUNS = [
  ...['account', 'deployment', 'device', 'domain', 'environment', 'identity', 'key', 'member', 'passkey', 'password'],
  ...['person', 'plan', 'platform', 'schedule', 'session', 'subscription', 'volume'],
];
const STALE_MS = 60_000;

/** Filters of the audit log: actor, action, target and time. */
export function AuditBar({ view, onChange }: AuditBarProps) {
  const { t } = useConsoleTexts();
  const members = useMembers({ staleTime: STALE_MS });
  const keys = useKeys({ staleTime: STALE_MS });
  const actors = [
    { value: '', label: t('audit.anyone') },
    { value: 'system', label: t('audit.actor.system') },
    ...(members.data ?? []).map((member) => ({ value: member.user_id, label: member.name })),
    ...(keys.data ?? []).map((key) => ({ value: key.id, label: t('audit.actor.key', { name: key.name }) })),
  ];
  // A removed person no longer has a name in the list, but still appears in the log.
  const known = actors.some(({ value }) => value === view.actor);
  return (
    <div className="mb-3 flex flex-wrap items-center gap-2">
      <Select
        label={t('audit.actor')}
        isLabelHidden
        className="w-48 max-sm:min-w-[40%] max-sm:flex-1"
        value={view.actor}
        options={known ? actors : [...actors, { value: view.actor, label: view.actor }]}
        onChange={(actor) => onChange({ actor, entry: undefined })}
      />
      <RangePicker
        key={JSON.stringify(view.range ?? null)}
        range={view.range}
        anyLabel={t('audit.anyTime')}
        onChange={(range) => onChange({ range, entry: undefined })}
      />
      <WrittenPart
        label={t('audit.action')}
        hint={t('audit.action.hint')}
        value={view.action}
        options={NOUNS}
        onSubmit={(action) => onChange({ action, entry: undefined })}
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
  readonly options?: readonly string[];
  onSubmit(value: string): void;
}

/** Text field that applies its filter on Enter or on blur. */
function WrittenPart({ label, hint, value, options, onSubmit }: WrittenPartProps) {
  const id = useId();
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
        list={options && id}
        value={written}
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => setWritten(event.target.value)}
        onBlur={() => submit()}
        className={`${INPUT_CLASS} placeholder:text-start rtl:placeholder:text-end`}
      />
      {options && (
        <datalist id={id}>
          {options.map((option) => (
            <option key={option} value={option} />
          ))}
        </datalist>
      )}
    </form>
  );
}
