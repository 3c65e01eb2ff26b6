import { useConsoleTexts } from '../../../text/use-console-texts.ts';
import type { CostRow } from '../state/cost-rows.ts';
import { totalsOf } from '../state/cost-rows.ts';
import { useMoney } from './use-money.ts';

const HEIGHT = 40;
/** Width of a bar relative to a day; the rest is the gap. */
const BAR = 0.7;

/** Bar chart of the costs per day. The table below has the same figures as text. */
export function DayBars({ days }: { readonly days: readonly CostRow[] }) {
  const { t } = useConsoleTexts();
  const money = useMoney();
  const most = days.reduce((best, day) => (day.cost > best.cost ? day : best), days[0] as CostRow);
  const [total] = totalsOf(days);
  if (!total || most.cost <= 0) return null;
  const label = t('billing.plot', { total: money(total), day: most.name, most: money(most) });
  return (
    <figure className="mb-4">
      <figcaption className="mb-1 text-xs text-ink-soft" aria-hidden>
        {money(most)}
      </figcaption>
      <svg
        role="img"
        aria-label={label}
        viewBox={`0 0 ${days.length} ${HEIGHT}`}
        preserveAspectRatio="none"
        className="h-40 w-full border-y border-line rtl:-scale-x-100"
      >
        {days.map((day, index) => {
          const height = (day.cost / most.cost) * HEIGHT;
          return (
            <g key={day.name}>
              <title>{`${day.name}: ${money(day)}`}</title>
              <rect x={index} y={0} width={1} height={HEIGHT} className="fill-transparent hover:fill-hover" />
              <rect
                x={index + (1 - BAR) / 2}
                y={HEIGHT - height}
                width={BAR}
                height={height}
                className="pointer-events-none fill-accent-ground"
              />
            </g>
          );
        })}
      </svg>
      <div aria-hidden className="mt-1 flex justify-between text-xs text-ink-soft">
        <bdi>{days[0]?.name}</bdi>
        <bdi>{days.at(-1)?.name}</bdi>
      </div>
    </figure>
  );
}
