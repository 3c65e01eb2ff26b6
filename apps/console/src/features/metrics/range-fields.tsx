import { Button, Field } from '@berth/ui';
import { useState } from 'react';
import { useConsoleTexts } from '../../text/use-console-texts.ts';
import { type PlotSpan, RANGE_MAX_MS, spanBetween, type TimeRange } from './plot-span.ts';

interface RangeFieldsProps {
  /** The range that is shown. */
  readonly range: TimeRange;
  onRange(span: PlotSpan): void;
}

/** Form for the start and end of a time range. */
export function RangeFields({ range, onRange }: RangeFieldsProps) {
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
        label={t('plots.from')}
        type="datetime-local"
        value={from}
        onChange={setFrom}
        problem={isRight ? undefined : t('plots.wrongRange')}
      />
      <Field className="w-52 max-sm:w-full" label={t('plots.to')} type="datetime-local" value={to} onChange={setTo} />
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
