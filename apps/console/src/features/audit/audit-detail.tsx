import type { AuditEntry } from '@berth/contract';
import { Button, NameWithId, Time, useTell } from '@berth/ui';
import { Braces, Link, ListFilter, type LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { useConsoleTexts } from '../../text/use-console-texts.ts';
import type { AuditView } from './audit-view.ts';
import { useAuditWords } from './audit-words.ts';

interface AuditDetailProps {
  readonly entry: AuditEntry;
  onChange(changes: Partial<AuditView>): void;
}

/** All details of an audit entry, with links that filter by its values. */
export function AuditDetail({ entry, onChange }: AuditDetailProps) {
  const { t } = useConsoleTexts();
  const tell = useTell();
  const words = useAuditWords();
  const name = words.actor(entry);
  const { id, time, action, target, actor, details, request_id } = entry;
  const copy = (text: string) => void navigator.clipboard.writeText(text).then(() => tell(t('parts.copied')));
  const fields: readonly (readonly [label: string, text: ReactNode])[] = [
    [t('audit.time'), <Time key="time" at={time} look="moment" />],
    [t('audit.action'), withId(words.action(action), action)],
    [t('audit.target'), withId(words.target(entry), target)],
    [t('audit.actor'), withId(name, actor.id)],
    [t('audit.request'), withId(request_id, request_id)],
    [t('audit.id'), withId(id, id)],
  ];
  const acts: readonly (readonly [icon: LucideIcon, label: string, act: () => void])[] = [
    [ListFilter, t('audit.only.action'), () => onChange({ action })],
    [ListFilter, t('audit.only.target'), () => onChange({ target })],
    [ListFilter, t('audit.only.actor', { name }), () => onChange({ actor: actor.id ?? actor.kind })],
    [Braces, t('logs.entry.copy'), () => copy(JSON.stringify(entry, null, 2))],
    [Link, t('audit.link'), () => copy(location.href)],
  ];
  return (
    <div className="flex flex-col gap-2 px-3 pt-1 pb-3 md:ps-8">
      <div className="flex flex-wrap gap-1">
        {acts.map(([Icon, label, act]) => (
          <Button key={label} look="quiet" onClick={act}>
            <Icon aria-hidden className="size-3.5" />
            {label}
          </Button>
        ))}
      </div>
      <dl className="grid gap-x-4 gap-y-1 text-xs sm:grid-cols-[8rem_minmax(0,1fr)]">
        {fields.map(([label, text]) => (
          <div key={label} className="contents">
            <dt className="text-ink-soft">{label}</dt>
            <dd className="flex min-w-0 items-center max-sm:mb-1">{text}</dd>
          </div>
        ))}
      </dl>
      {Object.keys(details).length > 0 && (
        <pre
          dir="ltr"
          className="max-h-72 overflow-auto rounded bg-sunken p-2 text-start font-mono text-xs/5 break-words whitespace-pre-wrap"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must take the focus, so that keys can scroll it
          tabIndex={0}
        >
          {JSON.stringify(details, null, 2)}
        </pre>
      )}
    </div>
  );
}

/** A name with its ID, which is shown on hover and can be copied. */
function withId(name: string | null, id: string | null): ReactNode {
  return id === null ? (name ?? '–') : <NameWithId id={id}>{name}</NameWithId>;
}
