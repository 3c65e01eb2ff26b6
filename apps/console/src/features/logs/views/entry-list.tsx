import { Button } from '@berth/ui';
import { ArrowUp } from 'lucide-react';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'react';
import { useWindowRows, WindowRows } from '../../../components/window-rows.tsx';
import { useConsoleTexts } from '../../../text/use-console-texts.ts';
import { createMomentFormat } from '../state/format-moment.ts';
import type { FeedState, LogFeed } from '../state/log-feed.ts';
import type { LogsLook } from '../state/logs-look.ts';
import type { LogsView } from '../state/logs-view.ts';
import { EntryRow } from './entry-row.tsx';

interface EntryListProps {
  readonly feed: LogFeed;
  readonly state: FeedState;
  readonly deployment: string;
  /** Timestamp of the expanded entry. */
  readonly openEntry: string | undefined;
  readonly look: LogsLook;
  /** True if the view has no filter, so that no entries are left out in between. */
  readonly isWhole: boolean;
  onOpen(entry: string | undefined): void;
  onChange(changes: Partial<LogsView>): void;
  onFilterBy(field: string, value: unknown, isWanted: boolean): void;
}

const ROW_PX = 25;
/** Number of rows before the end at which older entries are loaded. */
const AHEAD_ROWS = 20;

/** Virtualized list of log entries, newest first. */
export function EntryList(props: EntryListProps) {
  const { feed, state, deployment, openEntry, look, isWhole, onOpen, onChange, onFilterBy } = props;
  const { t, language } = useConsoleTexts();
  const { entries, hasOlder, hasNewer, isLoadingMore } = state;
  const formatMoment = useMemo(() => createMomentFormat(language, Date.now(), look.isUtc), [language, look.isUtc]);
  const inWindow = useWindowRows({
    count: entries.length,
    rowPx: ROW_PX,
    overscan: 15,
    keyOf: (index) => entries[index]?.timestamp ?? index,
  });
  const { topPx, virtualizer, shown } = inWindow;
  // A link to an entry scrolls to that entry once, not to others that are opened later.
  const sought = useRef(openEntry);
  useLayoutEffect(() => {
    const index = entries.findIndex(({ timestamp }) => timestamp === sought.current);
    if (topPx === 0) return;
    sought.current = undefined;
    if (index > 0) virtualizer.scrollToIndex(index, { align: 'center' });
  }, [topPx, entries, virtualizer]);
  const last = shown.at(-1)?.index ?? 0;
  useEffect(() => {
    if (hasOlder && !state.error && last >= entries.length - AHEAD_ROWS) void feed.loadOlder();
  }, [last, entries.length, hasOlder, state.error, feed]);
  return (
    <section aria-label={t('logs.entries')}>
      {hasNewer && (
        <Button
          icon={ArrowUp}
          look="quiet"
          className="w-full"
          isBusy={isLoadingMore}
          onClick={() => void feed.loadNewer()}
        >
          {t('logs.newer')}
        </Button>
      )}
      <WindowRows rows={inWindow}>
        {(index) => {
          const entry = entries[index];
          if (!entry) return null;
          return (
            <EntryRow
              entry={entry}
              deployment={deployment}
              isOpen={entry.timestamp === openEntry}
              formatMoment={formatMoment}
              look={look}
              isWhole={isWhole}
              onChange={onChange}
              onOpen={onOpen}
              onFilterBy={onFilterBy}
            />
          );
        }}
      </WindowRows>
      {hasOlder && (
        <Button look="quiet" className="w-full" isBusy={isLoadingMore} onClick={() => void feed.loadOlder()}>
          {t('logs.older')}
        </Button>
      )}
    </section>
  );
}
