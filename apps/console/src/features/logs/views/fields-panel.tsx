import { CopyCommand, ErrorNote, IconButton, INPUT_CLASS, quote, Skeleton } from '@berth/ui';
import { keepPreviousData } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { useState } from 'react';
import { QUERY_KEYS } from '../../../api/query-keys.ts';
import { useRead } from '../../../api/use-read.ts';
import { rangeMs } from '../../../components/time-range/time-range.ts';
import { useConsoleTexts } from '../../../text/use-console-texts.ts';
import { buildFilter } from '../state/build-filter.ts';
import { readKnownFields } from '../state/known-fields.ts';
import type { LogsView } from '../state/logs-view.ts';
import { toFieldCommands } from '../state/to-cli.ts';
import { FieldValues } from './field-values.tsx';

interface FieldsPanelProps {
  readonly view: LogsView;
  onFilterBy(field: string, value: unknown, isWanted: boolean): void;
  onClose(): void;
}

const STALE_MS = 60_000;
/** Fields that are expanded initially, because people filter by them most. */
const OPEN_AT_FIRST = ['severity', 'logName'];

/** Panel of the fields of the matching entries with the frequency of their values. Pressing a value filters by it. */
export function FieldsPanel({ view, onFilterBy, onClose }: FieldsPanelProps) {
  const { t, formats } = useConsoleTexts();
  const [wanted, setWanted] = useState('');
  const [nowMs] = useState(Date.now);
  const { fromMs, toMs } = rangeMs(view.range, nowMs);
  const span = { since: new Date(fromMs).toISOString(), until: new Date(toMs).toISOString() };
  const { data, error, refetch } = useRead(
    QUERY_KEYS.logFields(view.deployment, view.range, view.filter, view.severity, 'panel'),
    (client, signal) => {
      const body = { deployment_name: view.deployment, ...span, query: buildFilter(view) };
      return client.post('/v1/deployment/logs/fields', { body, signal });
    },
    { staleTime: STALE_MS, placeholderData: keepPreviousData },
  );
  const fields = data && [...readKnownFields(data).values()];
  const shown = fields?.filter(({ name }) => name.toLowerCase().includes(wanted.toLowerCase()));
  return (
    <aside
      aria-label={t('logs.fields')}
      className="flex max-h-[70vh] flex-col gap-2 rounded-md border border-line bg-raised p-3 md:sticky md:top-3 md:w-72 md:shrink-0"
    >
      <div className="flex items-center gap-1">
        <h2 className="me-auto font-medium">{t('logs.fields')}</h2>
        <CopyCommand {...toFieldCommands(view, span, quote)} />
        <IconButton icon={X} label={t('parts.close')} onClick={onClose} />
      </div>
      <input
        type="search"
        aria-label={t('logs.fields.search')}
        placeholder={t('logs.fields.search')}
        value={wanted}
        onChange={(event) => setWanted(event.target.value)}
        className={`${INPUT_CLASS} shrink-0`}
      />
      {error && <ErrorNote error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton rows={8} />}
      {shown && (
        <div className="-mx-1 min-h-0 flex-1 overflow-y-auto px-1">
          {shown.length === 0 && <p className="text-ink-soft">{t('logs.fields.none')}</p>}
          {shown.map((field) => (
            <FieldValues
              key={field.name}
              field={field}
              isOpen={OPEN_AT_FIRST.includes(field.name)}
              onFilterBy={onFilterBy}
            />
          ))}
        </div>
      )}
      {data && (
        <p className="text-xs text-ink-soft">
          {t(data.is_sampled ? 'logs.fields.sampled' : 'logs.fields.all', { count: formats.number(data.entries) })}
        </p>
      )}
    </aside>
  );
}
