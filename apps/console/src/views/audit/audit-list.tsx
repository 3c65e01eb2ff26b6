import type { AuditEntry } from '@berth/contract';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import type { AuditView } from '../../state/audit/audit-view.ts';
import { useConsoleTexts } from '../../text/use-console-texts.ts';
import { AuditRow } from './audit-row.tsx';

export interface AuditListProps {
  readonly rows: readonly AuditEntry[];
  /** Id of the expanded line. */
  readonly openEntry: string | undefined;
  onOpen(entry: string | undefined): void;
  onChange(changes: Partial<AuditView>): void;
  /** Called when the last line comes near. */
  onEnd(): void;
}

const ROW_PX = 37;
const AHEAD_ROWS = 60;

/** Lines, newest first, of which those in the window are in the document. */
export function AuditList({ rows, openEntry, onOpen, onChange, onEnd }: AuditListProps) {
  const { t, language } = useConsoleTexts();
  const formatTime = useMemo(() => {
    const day = { year: 'numeric', month: 'short', day: 'numeric' } as const;
    const format = new Intl.DateTimeFormat(language, { ...day, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
    return (time: string) => format.format(new Date(time));
  }, [language]);
  const bodyRef = useRef<HTMLDivElement>(null);
  const [topPx, setTopPx] = useState(0);
  const virtualizer = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => ROW_PX,
    overscan: 12,
    scrollMargin: topPx,
    getItemKey: (index) => rows[index]?.id ?? index,
  });
  useLayoutEffect(() => setTopPx((bodyRef.current?.getBoundingClientRect().top ?? 0) + scrollY), []);
  const shown = virtualizer.getVirtualItems();
  const isNearEnd = (shown.at(-1)?.index ?? -1) >= rows.length - AHEAD_ROWS;
  // biome-ignore lint/correctness/useExhaustiveDependencies: with more rows the end is another
  useEffect(() => {
    if (isNearEnd) onEnd();
  }, [isNearEnd, rows.length]);
  return (
    <section aria-label={t('audit.entries')}>
      <div ref={bodyRef} className="relative border-t border-line" style={{ height: virtualizer.getTotalSize() }}>
        {shown.map(({ key, index, start }) => {
          const entry = rows[index];
          if (!entry) return null;
          const isOpen = entry.id === openEntry;
          return (
            <div
              key={key}
              ref={virtualizer.measureElement}
              data-index={index}
              style={{ transform: `translateY(${start - topPx}px)` }}
              className="absolute inset-x-0 top-0"
            >
              <AuditRow entry={entry} isOpen={isOpen} formatTime={formatTime} onOpen={onOpen} onChange={onChange} />
            </div>
          );
        })}
      </div>
    </section>
  );
}
