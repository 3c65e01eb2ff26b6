import type { SqlRow } from '@berth/contract';
import { Select } from '@berth/ui';
import { useMemo, useState } from 'react';
import { useConsoleTexts } from '../../../text/use-console-texts.ts';
import { findPlotColumns, type PlotChoice, toPlot } from '../state/to-plot.ts';
import { type PlotKind, PlotView } from './plot-view.tsx';

const KINDS = ['lines', 'bars'] as const satisfies readonly PlotKind[];

/** Plot of a query's rows, with controls for the axes and the kind of plot. */
export function PlotPanel({ rows }: { readonly rows: readonly SqlRow[] }) {
  const { t } = useConsoleTexts();
  const [choice, setChoice] = useState<PlotChoice>({});
  const [kind, setKind] = useState<PlotKind>();
  const columns = useMemo(() => findPlotColumns(rows), [rows]);
  const plot = useMemo(() => toPlot(rows, choice), [rows, choice]);
  if (!plot) return <p className="text-ink-soft">{t('sql.plotNone')}</p>;
  const drawn = plot.series.map(({ name }) => name);
  const usual: PlotKind = plot.x.isTime ? 'lines' : 'bars';
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-end gap-4">
        <Select
          label={t('sql.plot.kind')}
          className="w-36"
          value={kind ?? usual}
          options={KINDS.map((value) => ({ value, label: t(`sql.plot.${value}`) }))}
          onChange={setKind}
        />
        <Select
          label={t('sql.plot.x')}
          className="w-48 max-w-full"
          value={plot.x.name}
          options={columns.x.map((name) => ({ value: name, label: name }))}
          onChange={(x) => setChoice({ ...choice, x })}
        />
        <fieldset className="flex min-w-0 flex-col gap-1">
          <legend className="mb-1 font-medium">{t('sql.plot.series')}</legend>
          <div className="flex min-h-8 flex-wrap items-center gap-x-4 gap-y-1">
            {columns.series
              .filter((name) => name !== plot.x.name)
              .map((name) => (
                <label key={name} className="inline-flex items-center gap-1.5 font-mono text-xs max-sm:min-h-11">
                  <input
                    type="checkbox"
                    className="accent-accent"
                    checked={drawn.includes(name)}
                    disabled={drawn.length === 1 && drawn.includes(name)}
                    onChange={(event) => {
                      const others = drawn.filter((one) => one !== name);
                      setChoice({ ...choice, series: event.target.checked ? [...others, name] : others });
                    }}
                  />
                  {name}
                </label>
              ))}
          </div>
        </fieldset>
      </div>
      <PlotView plot={plot} kind={kind ?? usual} />
      {plot.leftOut > 0 && <p className="text-xs text-ink-soft">{t('sql.plotLeftOut')}</p>}
    </div>
  );
}
