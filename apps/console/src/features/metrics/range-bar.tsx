import type { MetricsWindow } from '@berth/contract';
import { Button, Field, IconButton, Select } from '@berth/ui';
import { ChevronLeft, ChevronRight, Clock, ZoomIn, ZoomOut } from 'lucide-react';
import { useState } from 'react';
import { useConsoleTexts } from '../../text/use-console-texts.ts';
import {
  METRICS_WINDOWS,
  moveRange,
  type PlotSpan,
  RANGE_MAX_MS,
  rangeOf,
  spanBetween,
  type TimeRange,
} from './plot-span.ts';

/** Toolbar that selects, shifts and scales the time span of the plots. */
export function RangeBar({ span, onSpan }: { readonly span: PlotSpan; onSpan(span: PlotSpan): void }) {
  const { t } = useConsoleTexts();
  const [isOpen, setOpen] = useState(span.from !== undefined);
  const isCustom = span.from !== undefined;
  const move = (shift: number, factor?: number) => () => {
    const nowMs = Date.now();
    onSpan(moveRange(rangeOf(span, nowMs), nowMs, shift, factor));
  };
  const value = isCustom || isOpen ? 'custom' : (span.window ?? '1h');
  return (
    <div className="flex flex-wrap items-end gap-2">
      <Select<MetricsWindow | 'custom'>
        className="w-36"
        label={t('plots.range')}
        isLabelHidden
        value={value}
        onChange={(next) => {
          setOpen(next === 'custom');
          if (next !== 'custom') onSpan(next === '1h' ? {} : { window: next });
        }}
        options={[
          ...METRICS_WINDOWS.map((one) => ({ value: one, label: t(`deployment.window.${one}`) })),
          { value: 'custom' as const, label: t('plots.custom') },
        ]}
      />
      {/* The buttons point along the plots' time axis, which runs from left to right. */}
      <fieldset dir="ltr" className="flex" aria-label={t('plots.range')}>
        <IconButton icon={ChevronLeft} label={t('plots.earlier')} onClick={move(-0.5)} />
        <IconButton icon={ZoomIn} label={t('plots.in')} onClick={move(0, 0.5)} />
        <IconButton icon={ZoomOut} label={t('plots.out')} onClick={move(0, 2)} />
        <IconButton icon={ChevronRight} label={t('plots.later')} disabled={!isCustom} onClick={move(0.5)} />
        {isCustom && (
          <IconButton
            icon={Clock}
            label={t('plots.now')}
            onClick={() => {
              setOpen(false);
              onSpan({});
            }}
          />
        )}
      </fieldset>
      {(isCustom || isOpen) && (
        <RangeFields key={`${span.from} ${span.to}`} range={rangeOf(span, Date.now())} onRange={onSpan} />
      )}
    </div>
  );
}

interface RangeFieldsProps {
  /** The range that is shown. */
  readonly range: TimeRange;
  onRange(span: PlotSpan): void;
}

/** Form for the start and end of a time range. */
function RangeFields({ range, onRange }: RangeFieldsProps) {
  const { t } = useConsoleTexts();
  const [from, setFrom] = useState(() => toLocalInput(range.fromMs));
  const [to, setTo] = useState(() => toLocalInput(range.toMs));
  const fromMs = fromLocalInput(from);
  const toMs = fromLocalInput(to);
  const isRight = fromMs !== undefined && toMs !== undefined && fromMs < toMs && toMs - fromMs < RANGE_MAX_MS;
  return (
    <form
      className="flex w-full flex-wrap items-end gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        if (isRight) onRange(spanBetween(fromMs, toMs));
      }}
    >
      <Field
        className="w-52 max-sm:w-full"
        label={t('logs.range.from')}
        type="datetime-local"
        value={from}
        onChange={setFrom}
        problem={isRight ? undefined : t('plots.wrongRange')}
      />
      <Field
        className="w-52 max-sm:w-full"
        label={t('logs.range.to')}
        type="datetime-local"
        value={to}
        onChange={setTo}
      />
      <Button type="submit" disabled={!isRight}>
        {t('plots.show')}
      </Button>
    </form>
  );
}

/** Returns the value of a `datetime-local` input in the browser's time zone. */
function toLocalInput(atMs: number): string {
  return new Date(atMs - new Date(atMs).getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** Returns epoch milliseconds; undefined if the text is not a valid time. */
function fromLocalInput(text: string): number | undefined {
  const atMs = Date.parse(text);
  return Number.isNaN(atMs) ? undefined : atMs;
}
