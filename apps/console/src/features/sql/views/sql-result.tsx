import { formatCsv } from '@berth/client';
import { LIMITS } from '@berth/contract/limits';
import { Button, ErrorNote, Skeleton, saveFile, Tabs } from '@berth/ui';
import { Download } from 'lucide-react';
import { useState } from 'react';
import { useConsoleTexts } from '../../../text/use-console-texts.ts';
import type { RunState } from '../state/sql-run.ts';
import { PlotPanel } from './plot-panel.tsx';
import { ResultsTable } from './results-table.tsx';

interface SqlResultProps {
  readonly state: RunState;
  /** True if the editor already shows the problem at its position. */
  readonly isProblemShown: boolean;
}

/** Result of a query as a table or a plot, with a download. */
export function SqlResult({ state, isProblemShown }: SqlResultProps) {
  const { t, formats } = useConsoleTexts();
  const [tab, setTab] = useState<'table' | 'plot'>('table');
  const { status, rows, error, tookMs } = state;
  if (status === 'idle') return null;
  if (status === 'running') return <Skeleton rows={6} />;
  if (status === 'cancelled') return <p role="status">{t('sql.cancelled')}</p>;
  if (status === 'failed') return isProblemShown ? null : <ErrorNote error={error} />;
  const time = formats.span(tookMs / 1_000, 's', 2);
  return (
    <div className="flex flex-col gap-2">
      <div className="flex min-h-8 flex-wrap items-center gap-2">
        <span role="status" className="me-auto text-ink-soft">
          {rows.length === 0 ? t('sql.none') : t('sql.rows', { count: rows.length, time })}
          {rows.length >= LIMITS.sqlRows && ` · ${t('sql.rowsMost')}`}
        </span>
        <Button
          icon={Download}
          disabled={rows.length === 0}
          onClick={() => saveFile('query.json', `${JSON.stringify(rows, null, 2)}\n`, 'application/json')}
        >
          {t('sql.json')}
        </Button>
        <Button
          icon={Download}
          disabled={rows.length === 0}
          onClick={() => saveFile('query.csv', `${formatCsv(rows)}\n`, 'text/csv')}
        >
          {t('audit.csv')}
        </Button>
      </div>
      {rows.length > 0 && (
        <Tabs<'table' | 'plot'>
          label={t('sql.result')}
          value={tab}
          onChange={setTab}
          tabs={[
            { value: 'table', label: t('sql.table'), content: <ResultsTable rows={rows} /> },
            {
              value: 'plot',
              label: t('sql.plot'),
              content: <PlotPanel rows={rows} />,
            },
          ]}
        />
      )}
    </div>
  );
}
