import type { AuditEntry } from '@berth/contract';
import { useEffect, useMemo } from 'react';
import { useWindowRows, WindowRows } from '../../components/window-rows.tsx';
import { useConsoleTexts } from '../../text/use-console-texts.ts';
import { AuditRow } from './audit-row.tsx';
import type { AuditView } from './audit-view.ts';

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
  const { t, language } = useConsoleTexts();
  const formatTime = useMemo(() => {
    const day = { year: 'numeric', month: 'short', day: 'numeric' } as const;
    const format = new Intl.DateTimeFormat(language, { ...day, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
    return (time: string) => format.format(new Date(time));
  }, [language]);
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
          return <AuditRow entry={entry} isOpen={isOpen} formatTime={formatTime} onOpen={onOpen} onChange={onChange} />;
        }}
      </WindowRows>
    </section>
  );
}
