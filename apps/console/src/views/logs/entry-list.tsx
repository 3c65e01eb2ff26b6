import { Button } from '@berth/web';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { ArrowUp } from 'lucide-react';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { createMomentFormat } from '../../state/logs/format-moment.ts';
import type { FeedState, LogFeed } from '../../state/logs/log-feed.ts';
import type { LogsLook } from '../../state/logs/logs-look.ts';
import type { LogsView } from '../../state/logs/logs-view.ts';
import { useConsoleTexts } from '../../text/use-console-texts.ts';
import { EntryRow } from './entry-row.tsx';

export interface EntryListProps {
  readonly feed: LogFeed;
  readonly state: FeedState;
  readonly deployment: string;
  /** Timestamp of the expanded entry. */
  readonly openEntry: string | undefined;
  readonly look: LogsLook;
  /** Whether nothing is left out between the entries. */
  readonly isWhole: boolean;
  onOpen(entry: string | undefined): void;
  onChange(changes: Partial<LogsView>): void;
  onFilterBy(field: string, value: unknown, isWanted: boolean): void;
}

const ROW_PX = 25;
/** How near the end older entries are fetched. */
const AHEAD_ROWS = 20;

/** Entries, newest first, of which those in the window are in the document. */
export function EntryList(props: EntryListProps) {
  const { feed, state, deployment, openEntry, look, isWhole, onOpen, onChange, onFilterBy } = props;
  const { t, language } = useConsoleTexts();
  const { entries, hasOlder, hasNewer, isLoadingMore } = state;
  const bodyRef = useRef<HTMLDivElement>(null);
  const [topPx, setTopPx] = useState(0);
  const formatMoment = useMemo(() => createMomentFormat(language, Date.now(), look.isUtc), [language, look.isUtc]);
  const virtualizer = useWindowVirtualizer({
    count: entries.length,
    estimateSize: () => ROW_PX,
    overscan: 15,
    scrollMargin: topPx,
    // Entries that come above leave what is read where it is.
    getItemKey: (index) => entries[index]?.timestamp ?? index,
  });
  useLayoutEffect(() => setTopPx((bodyRef.current?.getBoundingClientRect().top ?? 0) + scrollY), []);
  // A link to an entry is to lead to it, not to what is after it.
  const sought = useRef(openEntry);
  useLayoutEffect(() => {
    const index = entries.findIndex(({ timestamp }) => timestamp === sought.current);
    if (topPx === 0) return;
    sought.current = undefined;
    if (index > 0) virtualizer.scrollToIndex(index, { align: 'center' });
  }, [topPx, entries, virtualizer]);
  const shown = virtualizer.getVirtualItems();
  const last = shown.at(-1)?.index ?? 0;
  useEffect(() => {
    if (hasOlder && !state.error && last >= entries.length - AHEAD_ROWS) void feed.loadOlder();
  }, [last, entries.length, hasOlder, state.error, feed]);
  return (
    <section aria-label={t('logs.entries')}>
      {hasNewer && (
        <Button look="quiet" className="w-full" isBusy={isLoadingMore} onClick={() => void feed.loadNewer()}>
          <ArrowUp aria-hidden className="size-4" />
          {t('logs.newer')}
        </Button>
      )}
      <div ref={bodyRef} className="relative border-t border-line" style={{ height: virtualizer.getTotalSize() }}>
        {shown.map(({ key, index, start }) => {
          const entry = entries[index];
          if (!entry) return null;
          const isOpen = entry.timestamp === openEntry;
          return (
            <div
              key={key}
              ref={virtualizer.measureElement}
              data-index={index}
              style={{ transform: `translateY(${start - topPx}px)` }}
              className="absolute inset-x-0 top-0"
            >
              <EntryRow
                entry={entry}
                deployment={deployment}
                isOpen={isOpen}
                formatMoment={formatMoment}
                look={look}
                isWhole={isWhole}
                onChange={onChange}
                onOpen={onOpen}
                onFilterBy={onFilterBy}
              />
            </div>
          );
        })}
      </div>
      {hasOlder && (
        <Button look="quiet" className="w-full" isBusy={isLoadingMore} onClick={() => void feed.loadOlder()}>
          {t('logs.older')}
        </Button>
      )}
    </section>
  );
}
