import { Button, EmptyState, ErrorNote, IconButton, Menu, Skeleton } from '@berth/ui';
import { keepPreviousData } from '@tanstack/react-query';
import { ChevronLeft, ChevronRight, Pause, Play, ScrollText, SlidersHorizontal, ZoomOut } from 'lucide-react';
import { type ReactNode, useEffect, useMemo, useState } from 'react';
import { QUERY_KEYS } from '../../../api/query-keys.ts';
import { useRead } from '../../../api/use-read.ts';
import { shiftRange, widenRange } from '../../../components/time-range/move-range.ts';
import { type Range, rangeMs } from '../../../components/time-range/time-range.ts';
import { useConsoleTexts } from '../../../text/use-console-texts.ts';
import { buildFilter } from '../state/build-filter.ts';
import { readCounts, stepsOf, toHistogram } from '../state/histogram.ts';
import type { FeedState, LogFeed } from '../state/log-feed.ts';
import { keepLogsLook, type LogsLook, readLogsLook } from '../state/logs-look.ts';
import type { LogsView } from '../state/logs-view.ts';
import { EntryList } from './entry-list.tsx';
import { HistogramView } from './histogram-view.tsx';

interface LogsResultProps {
  readonly view: LogsView;
  readonly feed: LogFeed;
  readonly state: FeedState;
  onRange(range: Range): void;
  /** Changes the view, e.g. to all entries around one. */
  onChange(changes: Partial<LogsView>): void;
  onOpen(entry: string | undefined): void;
  onFilterBy(field: string, value: unknown, isWanted: boolean): void;
  onRefresh(): void;
  /** Actions shown if no entry matches. */
  readonly empty: ReactNode;
}

const RECOUNT_MS = 15_000;

/** Histogram and entries that match a view. */
export function LogsResult(props: LogsResultProps) {
  const { view, feed, state, onRange, onChange, onOpen, onFilterBy, onRefresh, empty } = props;
  const { t, formats } = useConsoleTexts();
  const [nowMs, setNowMs] = useState(Date.now);
  const { fromMs, toMs } = useMemo(() => rangeMs(view.range, nowMs), [view.range, nowMs]);
  const [look, setLook] = useState(() => readLogsLook(localStorage));
  const {
    data: counts,
    error: countError,
    refetch: recount,
  } = useRead(
    QUERY_KEYS.logCounts(view.deployment, view.severity, view.filter, fromMs, toMs),
    (client, signal) => {
      const body = { deployment_name: view.deployment, query: buildFilter(view), ...stepsOf(fromMs, toMs) };
      return client.post('/v1/deployment/logs/histogram', { body, signal });
    },
    { placeholderData: keepPreviousData },
  );
  const histogram = useMemo(() => counts && toHistogram(readCounts(counts), fromMs, toMs), [counts, fromMs, toMs]);
  const countedUntil = counts?.counted_until ?? undefined;
  useEffect(() => {
    if (!view.isLive) return;
    const timer = setInterval(() => setNowMs(Date.now()), RECOUNT_MS);
    return () => clearInterval(timer);
  }, [view.isLive]);
  // New entries wait while the person is scrolled down, so that the rows don't move.
  useEffect(() => {
    if (!view.isLive) return;
    const onScroll = () => scrollY > 300 && feed.setPaused(true);
    addEventListener('scroll', onScroll, { passive: true });
    return () => removeEventListener('scroll', onScroll);
  }, [view.isLive, feed]);

  const { entries, status, error, isPaused, heldCount, isHeldOver, live } = state;
  return (
    <div className="flex min-w-0 flex-1 flex-col gap-2">
      {countError && !counts ? (
        <ErrorNote error={countError} onRetry={() => void recount()} />
      ) : (
        <HistogramView histogram={histogram} isUtc={look.isUtc} onBrush={onRange} />
      )}
      <div className="flex min-h-8 flex-wrap items-center gap-x-2 text-xs text-ink-soft">
        <span role="status" className="tabular-nums">
          {counts && countedUntil === undefined && `${t('logs.total', { count: counts.total })} · `}
          {t('logs.count', { count: entries.length })}
        </span>
        {countedUntil !== undefined && (
          <span>{t('logs.histogram.countedUntil', { time: formats.time(countedUntil) })}</span>
        )}
        {live === 'lost' && <span className="text-warn">{t('logs.live.lost')}</span>}
        <span className="ms-auto flex items-center">
          {!view.isLive && <RangeSteps range={view.range} onChange={onRange} />}
          <LookMenu
            look={look}
            onChange={(next) => {
              setLook(next);
              keepLogsLook(next, localStorage);
            }}
          />
        </span>
        {view.isLive && (
          <Button
            onClick={() => {
              if (isPaused) scrollTo({ top: 0 });
              feed.setPaused(!isPaused);
            }}
          >
            {isPaused ? <Play aria-hidden className="size-3.5" /> : <Pause aria-hidden className="size-3.5" />}
            {isPaused ? t('logs.live.resume') : t('logs.live.pause')}
          </Button>
        )}
      </div>
      {isPaused && heldCount > 0 && (
        <Button
          look="primary"
          className="sticky top-2 z-10 self-center max-md:top-20"
          onClick={() => {
            scrollTo({ top: 0 });
            feed.setPaused(false);
          }}
        >
          {isHeldOver ? t('logs.live.heldOver', { count: heldCount }) : t('logs.live.held', { count: heldCount })}
        </Button>
      )}
      {error !== undefined && <ErrorNote error={error} onRetry={onRefresh} />}
      {status === 'loading' && <Skeleton rows={12} />}
      {status === 'ready' && entries.length === 0 && (
        <EmptyState
          icon={ScrollText}
          title={t('logs.empty.title')}
          text={t('logs.empty.text', { from: formats.time(fromMs), to: formats.time(toMs) })}
          command={`npx berth logs ${view.deployment} -f`}
        >
          {empty}
        </EmptyState>
      )}
      {status === 'ready' && entries.length > 0 && (
        <EntryList
          feed={feed}
          state={state}
          deployment={view.deployment}
          openEntry={view.entry}
          look={look}
          onChange={onChange}
          isWhole={view.filter.trim() === '' && view.severity === 'DEFAULT'}
          onOpen={(entry) => {
            // Opening an entry pauses the live tail, so that the entry doesn't move.
            if (view.isLive && entry !== undefined) feed.setPaused(true);
            onOpen(entry);
          }}
          onFilterBy={onFilterBy}
        />
      )}
    </div>
  );
}

/** Menu of the display options for entries. */
function LookMenu({ look, onChange }: { readonly look: LogsLook; onChange(look: LogsLook): void }) {
  const { t } = useConsoleTexts();
  const toggle = (name: keyof LogsLook, label: string) => ({
    label,
    isChosen: look[name],
    onChoose: () => onChange({ ...look, [name]: !look[name] }),
  });
  return (
    <Menu
      trigger={<IconButton icon={SlidersHorizontal} label={t('logs.look')} />}
      items={[
        toggle('isWrapped', t('logs.look.wrap')),
        toggle('hasSeverity', t('logs.look.severity')),
        toggle('isUtc', t('logs.look.utc')),
      ]}
    />
  );
}

/** Buttons that shift the time range or widen it. They point along the histogram's time axis. */
function RangeSteps({ range, onChange }: { readonly range: Range; onChange(range: Range): void }) {
  const { t } = useConsoleTexts();
  return (
    <div dir="ltr" className="flex">
      <IconButton
        icon={ChevronLeft}
        label={t('logs.range.earlier')}
        onClick={() => onChange(shiftRange(range, -1, Date.now()))}
      />
      <IconButton
        icon={ZoomOut}
        label={t('logs.range.wider')}
        onClick={() => onChange(widenRange(range, Date.now()))}
      />
      <IconButton
        icon={ChevronRight}
        label={t('logs.range.later')}
        disabled={'last' in range}
        onClick={() => onChange(shiftRange(range, 1, Date.now()))}
      />
    </div>
  );
}
