import type { AuditEntry } from '@berth/contract';
import { classNames, MiddleText, Time } from '@berth/ui';
import { Bot, ChevronRight, KeyRound, UserRound } from 'lucide-react';
import { memo, useEffect } from 'react';
import { useWindowRows, WindowRows } from '../../components/window-rows.tsx';
import { useConsoleTexts } from '../../text/use-console-texts.ts';
import { AuditDetail } from './audit-detail.tsx';
import type { AuditView } from './audit-view.ts';
import { useAuditWords } from './audit-words.ts';

interface AuditListProps {
  readonly rows: readonly AuditEntry[];
  /** ID of the expanded entry. */
  readonly openEntry: string | undefined;
  onOpen(entry: string | undefined): void;
  onChange(changes: Partial<AuditView>): void;
  /** Called when the list is scrolled near its end. */
  onEnd(): void;
}

const ROW_PX = 37;
const AHEAD_ROWS = 60;

/** Virtualized list of audit entries, newest first. */
export function AuditList({ rows, openEntry, onOpen, onChange, onEnd }: AuditListProps) {
  const { t } = useConsoleTexts();
  const inWindow = useWindowRows({
    count: rows.length,
    rowPx: ROW_PX,
    overscan: 12,
    keyOf: (index) => rows[index]?.id ?? index,
  });
  const isNearEnd = (inWindow.shown.at(-1)?.index ?? -1) >= rows.length - AHEAD_ROWS;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the end moves when rows are added
  useEffect(() => {
    if (isNearEnd) onEnd();
  }, [isNearEnd, rows.length]);
  return (
    <section aria-label={t('audit.entries')}>
      <WindowRows rows={inWindow}>
        {(index) => {
          const entry = rows[index];
          if (!entry) return null;
          const isOpen = entry.id === openEntry;
          return <AuditRow entry={entry} isOpen={isOpen} onOpen={onOpen} onChange={onChange} />;
        }}
      </WindowRows>
    </section>
  );
}

interface AuditRowProps {
  readonly entry: AuditEntry;
  readonly isOpen: boolean;
  onOpen(entry: string | undefined): void;
  onChange(changes: Partial<AuditView>): void;
}

const ICONS = { key: KeyRound, session: UserRound, system: Bot } as const;

/** One audit entry; expanded, with all details. Memoized, because the list is long. */
const AuditRow = memo(function AuditRow({ entry, isOpen, onOpen, onChange }: AuditRowProps) {
  const { t } = useConsoleTexts();
  const words = useAuditWords();
  const { time, action, target, target_name, actor } = entry;
  const Icon = ICONS[actor.kind];
  const name = words.actor(entry);
  return (
    <div className={classNames('border-b border-line', isOpen && 'bg-raised')}>
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => onOpen(isOpen ? undefined : entry.id)}
        className="grid min-h-9 w-full grid-cols-[1rem_minmax(0,1fr)_auto] items-center gap-x-3 px-1 py-1 text-start -outline-offset-2 hover:bg-hover md:grid-cols-[1rem_10.5rem_minmax(0,3fr)_minmax(0,4fr)_minmax(0,3fr)]"
      >
        <ChevronRight
          aria-hidden
          className={classNames('size-3.5 text-ink-soft rtl:-scale-x-100', isOpen && 'rotate-90 rtl:rotate-90')}
        />
        <span className="whitespace-nowrap text-ink-soft tabular-nums max-md:order-3 max-md:text-xs">
          <Time at={time} look="moment" />
        </span>
        <span className="truncate font-medium max-md:order-2" title={action}>
          {words.action(action)}
        </span>
        <span className="min-w-0 max-md:order-4 max-md:col-start-2 max-md:text-xs">
          {target_name ? (
            <bdi className="block truncate" title={target}>
              {target_name}
            </bdi>
          ) : (
            <MiddleText text={words.target(entry)} />
          )}
        </span>
        <span className="flex min-w-0 items-center gap-1.5 max-md:order-5 max-md:justify-end max-md:text-xs max-md:text-ink-soft">
          <Icon aria-hidden className="size-3.5 shrink-0 text-ink-soft" />
          <span className="sr-only">{t(`audit.kind.${actor.kind}`)}</span>
          <bdi className="truncate" title={actor.id ?? name}>
            {name}
          </bdi>
        </span>
      </button>
      {isOpen && <AuditDetail entry={entry} onChange={onChange} />}
    </div>
  );
});
