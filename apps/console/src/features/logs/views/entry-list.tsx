import type { LogEntry } from '@berth/contract';
import { Button, classNames } from '@berth/ui';
import { ArrowUp, ChevronRight } from 'lucide-react';
import { memo, useEffect, useLayoutEffect, useMemo, useRef } from 'react';
import { useWindowRows, WindowRows } from '../../../components/window-rows.tsx';
import { useConsoleTexts } from '../../../text/use-console-texts.ts';
import { createMomentFormat } from '../state/format-moment.ts';
import type { FeedState, LogFeed } from '../state/log-feed.ts';
import type { LogsLook } from '../state/logs-look.ts';
import type { LogsView } from '../state/logs-view.ts';
import { groupOf, type SeverityGroup } from '../state/severities.ts';
import { EntryDetail } from './entry-detail.tsx';

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

interface EntryRowProps {
  readonly entry: LogEntry;
  readonly deployment: string;
  readonly isOpen: boolean;
  readonly formatMoment: (timestamp: string) => string;
  readonly look: LogsLook;
  readonly isWhole: boolean;
  onOpen(entry: string | undefined): void;
  onChange(changes: Partial<LogsView>): void;
  onFilterBy(field: string, value: unknown, isWanted: boolean): void;
}

/** One log entry on one line; expanded, with all details. Memoized, because there are many. */
const EntryRow = memo(function EntryRow(props: EntryRowProps) {
  const { entry, deployment, isOpen, formatMoment, look, isWhole, onOpen, onChange, onFilterBy } = props;
  return (
    <div className={classNames('border-b border-line', isOpen && 'bg-raised')}>
      <button
        type="button"
        dir="ltr"
        aria-expanded={isOpen}
        onClick={() => onOpen(isOpen ? undefined : entry.timestamp)}
        className="flex w-full items-center gap-2 px-1 py-0.5 text-start font-mono text-xs/5 -outline-offset-2 hover:bg-hover max-md:flex-wrap max-md:gap-y-0 max-md:py-1.5"
      >
        <ChevronRight aria-hidden className={classNames('size-3.5 shrink-0 text-ink-soft', isOpen && 'rotate-90')} />
        <time dateTime={entry.timestamp} title={entry.timestamp} className="shrink-0 text-ink-soft">
          {formatMoment(entry.timestamp)}
        </time>
        {look.hasSeverity && <SeverityMark severity={entry.severity} />}
        <span
          className={classNames(
            'min-w-0 flex-1 max-md:basis-full max-md:ps-5',
            look.isWrapped ? 'break-words whitespace-pre-wrap' : 'truncate',
          )}
        >
          {entry.message}
        </span>
      </button>
      {isOpen && (
        <EntryDetail
          entry={entry}
          deployment={deployment}
          isWhole={isWhole}
          onChange={onChange}
          onFilterBy={onFilterBy}
        />
      )}
    </div>
  );
});

const SEVERITY_LOOKS: Readonly<Record<SeverityGroup, string>> = {
  error: 'bg-bad-soft text-bad',
  warning: 'bg-warn-soft text-warn',
  info: 'text-ink-soft',
};

/** Label of a severity, highlighted for warnings and errors. */
function SeverityMark({ severity }: { readonly severity: string }) {
  return (
    <span
      className={classNames(
        'inline-block w-20 shrink-0 truncate rounded px-1.5 text-center max-md:w-auto',
        SEVERITY_LOOKS[groupOf(severity)],
      )}
    >
      {severity}
    </span>
  );
}
