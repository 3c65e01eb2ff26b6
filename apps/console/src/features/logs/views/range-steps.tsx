import { IconButton } from '@berth/ui';
import { ChevronLeft, ChevronRight, ZoomOut } from 'lucide-react';
import { shiftRange, widenRange } from '../../../components/time-range/move-range.ts';
import type { Range } from '../../../components/time-range/time-range.ts';
import { useConsoleTexts } from '../../../text/use-console-texts.ts';

/** Props of {@link RangeSteps}. */
export interface RangeStepsProps {
  readonly range: Range;
  onChange(range: Range): void;
}

/** Buttons that shift the time range or widen it. They point along the histogram's time axis. */
export function RangeSteps({ range, onChange }: RangeStepsProps) {
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
