import type { MetricsWindow } from '@berth/contract';
import { IconButton, Select } from '@berth/ui';
import { ChevronLeft, ChevronRight, Clock, ZoomIn, ZoomOut } from 'lucide-react';
import { useState } from 'react';
import { useConsoleTexts } from '../../text/use-console-texts.ts';
import { METRICS_WINDOW_MS } from './metrics-windows.ts';
import { moveRange, type PlotSpan, rangeOf } from './plot-span.ts';
import { RangeFields } from './range-fields.tsx';

const WINDOWS = Object.keys(METRICS_WINDOW_MS) as MetricsWindow[];

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
          ...WINDOWS.map((one) => ({ value: one, label: t(`deployment.window.${one}`) })),
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
