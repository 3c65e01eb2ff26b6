import { ErrorNote, IconButton, INPUT_CLASS, quote, Skeleton, useCommand } from '@berth/ui';
import { keepPreviousData } from '@tanstack/react-query';
import { ChevronRight, ListX, X } from 'lucide-react';
import { useState } from 'react';
import { QUERY_KEYS } from '../../../api/query-keys.ts';
import { useRead } from '../../../api/use-read.ts';
import { rangeMs } from '../../../components/time-range/time-range.ts';
import { useConsoleTexts } from '../../../text/use-console-texts.ts';
import { buildFilter } from '../state/build-filter.ts';
import { type KnownField, readKnownFields } from '../state/known-fields.ts';
import type { LogsView } from '../state/logs-view.ts';
import { toFieldCommands } from '../state/to-cli.ts';

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
  useCommand({ label: t('logs.fields'), ...toFieldCommands(view, span, quote) });
  return (
    <aside
      aria-label={t('logs.fields')}
      className="flex max-h-[70vh] flex-col gap-2 rounded-md border border-line bg-raised p-3 md:sticky md:top-3 md:w-72 md:shrink-0"
    >
      <div className="flex items-center gap-1">
        <h2 className="me-auto font-medium">{t('logs.fields')}</h2>
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
      {!data && !error && <Skeleton shape="list" rows={8} />}
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

interface FieldValuesProps {
  readonly field: KnownField;
  /** Initial state. */
  readonly isOpen: boolean;
  onFilterBy(field: string, value: unknown, isWanted: boolean): void;
}

/** A field with its values, sorted by the number of entries. */
function FieldValues({ field, isOpen, onFilterBy }: FieldValuesProps) {
  const { t, formats } = useConsoleTexts();
  const { name, entries, values, hasMore } = field;
  const compact = (count: number) => formats.number(count, { notation: 'compact' });
  return (
    <details open={isOpen} className="group/field border-b border-line last:border-b-0">
      <summary className="flex min-h-8 cursor-pointer list-none items-center gap-1.5 rounded hover:bg-hover max-sm:min-h-11">
        <ChevronRight
          aria-hidden
          className="size-3.5 shrink-0 text-ink-soft group-open/field:rotate-90 rtl:-scale-x-100"
        />
        <span title={name} className="min-w-0 flex-1 truncate text-start font-mono text-xs">
          <bdi dir="ltr">{name}</bdi>
        </span>
        <span className="text-xs text-ink-soft tabular-nums">{compact(entries)}</span>
      </summary>
      <ul className="pb-2 ps-5">
        {values.map(({ text, value, entries: count }) => (
          <li key={text} className="group/value flex items-center">
            <button
              type="button"
              title={`${name}=${text}`}
              onClick={() => onFilterBy(name, value, true)}
              className="relative flex min-h-6 min-w-0 flex-1 items-center gap-2 rounded px-1.5 hover:bg-hover max-sm:min-h-10"
            >
              <span
                aria-hidden
                className="absolute inset-y-0.5 start-0 rounded bg-accent-soft opacity-60"
                style={{ width: `${(count / Math.max(entries, 1)) * 100}%` }}
              />
              <span className="relative min-w-0 flex-1 truncate text-start font-mono text-xs">
                <bdi>{String(value) || '""'}</bdi>
              </span>
              <span className="relative text-xs text-ink-soft tabular-nums">{compact(count)}</span>
            </button>
            <IconButton
              icon={ListX}
              className="h-6! opacity-0 group-focus-within/value:opacity-100 group-hover/value:opacity-100 max-md:opacity-100 max-sm:h-10!"
              label={`${t('logs.entry.exclude')}: ${name}=${text}`}
              onClick={() => onFilterBy(name, value, false)}
            />
          </li>
        ))}
        {hasMore && <li className="px-1.5 text-xs text-ink-soft">{t('logs.fields.more')}</li>}
      </ul>
    </details>
  );
}
