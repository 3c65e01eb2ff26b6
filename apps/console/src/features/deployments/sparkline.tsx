import type { Activity } from '@berth/contract';
import { classNames } from '@berth/ui';
import { useConsoleTexts } from '../../text/use-console-texts.ts';

const WIDTH = 80;
const HEIGHT = 20;

/** Bars of the requests in the last hour, failed ones in their own color, with both totals as text. */
export function Sparkline({ activity }: { readonly activity: Activity['deployments'][number] | undefined }) {
  const { t, formats } = useConsoleTexts();
  if (!activity) return null;
  const { requests, errors } = activity;
  const count = requests.reduce((sum, value) => sum + value, 0);
  const failed = errors.reduce((sum, value) => sum + value, 0);
  const most = Math.max(1, ...requests);
  const step = WIDTH / requests.length;
  const bars = (values: readonly number[]) =>
    values
      .map((value, at) => ({ x: at * step, height: (value / most) * HEIGHT }))
      .filter(({ height }) => height > 0)
      .map(
        ({ x, height }) =>
          `M${x.toFixed(2)} ${HEIGHT}v${(-Math.max(1, height)).toFixed(2)}h${step.toFixed(2)}V${HEIGHT}z`,
      )
      .join('');
  const words = t('deployments.activity.said', { count, errors: failed });
  return (
    <span className="inline-flex items-center gap-2" title={words}>
      <span className="sr-only">{words}</span>
      <svg
        aria-hidden="true"
        width={WIDTH}
        height={HEIGHT}
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        className="rtl:-scale-x-100"
      >
        <path d={bars(requests)} className="fill-accent" />
        <path d={bars(errors)} className="fill-bad" />
      </svg>
      <span aria-hidden className={classNames('text-xs', failed > 0 ? 'text-bad' : 'text-ink-soft')}>
        {formats.number(count, { notation: 'compact' })}
      </span>
    </span>
  );
}
