import type { MetricsPoint } from '@berth/contract';
import { useConsoleTexts } from '../../text/use-console-texts.ts';
import { COLD_START_PARTS, meanColdStart } from './cold-start-parts.ts';
import { usePlotFormats } from './use-plot-formats.ts';

/** The colors differ in lightness too, so that the order is visible without hue. */
const COLOURS = ['bg-ink-soft', 'bg-warn', 'bg-accent', 'bg-good', 'bg-bad'];

/** Bar of the mean cold start in the time range, divided into its phases. */
export function ColdStartBar({ points }: { readonly points: readonly MetricsPoint[] }) {
  const { t, formats } = useConsoleTexts();
  const format = usePlotFormats();
  const mean = meanColdStart(points);
  return (
    <section className="flex flex-col gap-2">
      <h2 className="font-medium">{t('plots.coldParts')}</h2>
      {!mean && <p className="text-ink-soft">{t('plots.coldParts.none')}</p>}
      {mean && (
        <>
          <p className="text-ink-soft">
            {t('plots.coldParts.said', { count: mean.count, total: format('latency', mean.totalMs) })}
          </p>
          <div aria-hidden className="flex h-3 w-full gap-px overflow-hidden rounded-sm">
            {COLD_START_PARTS.map((part, at) => (
              <span
                key={part}
                className={COLOURS[at]}
                style={{ flexGrow: mean.parts[part], flexBasis: mean.parts[part] > 0 ? 2 : 0 }}
              />
            ))}
          </div>
          <ul className="flex flex-wrap gap-x-5 gap-y-1 text-xs">
            {COLD_START_PARTS.map((part, at) => (
              <li key={part} className="flex items-center gap-1.5">
                <span aria-hidden className={`size-2 rounded-xs ${COLOURS[at]}`} />
                <span className="text-ink-soft">{t(`plots.part.${part}`)}</span>
                <bdi>{format('latency', mean.parts[part])}</bdi>
                <span className="text-ink-soft">
                  {formats.number(mean.totalMs === 0 ? 0 : mean.parts[part] / mean.totalMs, {
                    style: 'percent',
                    maximumFractionDigits: 0,
                  })}
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}
