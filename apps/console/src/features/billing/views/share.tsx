import { classNames } from '@berth/ui';
import { useConsoleTexts } from '../../../text/use-console-texts.ts';

/** Ratio from which usage counts as close to the limit. */
const NEAR_RATIO = 0.9;

/** Props of {@link Share}. */
export interface ShareProps {
  /** Undefined while unknown. */
  readonly used: number | undefined;
  readonly limit: number;
  format(value: number): string;
}

/** Usage of a limit as text and as a bar. */
export function Share({ used, limit, format }: ShareProps) {
  const { t } = useConsoleTexts();
  if (used === undefined) return format(limit);
  const text = t('billing.limit.of', { used: format(used), limit: format(limit) });
  const percent = limit === 0 ? 100 : Math.min(100, (used / limit) * 100);
  const isNear = used >= limit * NEAR_RATIO;
  return (
    <span className="inline-flex w-44 flex-col gap-1">
      <span className={classNames(isNear && 'font-medium text-warn')}>{text}</span>
      <svg
        aria-hidden
        className="h-1 w-full rounded-full bg-hover rtl:-scale-x-100"
        preserveAspectRatio="none"
        viewBox="0 0 100 1"
      >
        <rect width={percent} height="1" className={isNear ? 'fill-warn' : 'fill-accent-ground'} />
      </svg>
    </span>
  );
}
