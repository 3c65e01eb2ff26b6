import type { LogEntry } from '@berth/contract';
import { Button, ErrorNote, IconButton, Skeleton, useTell } from '@berth/ui';
import { Braces, Copy, Link, ListFilter, ListX, type LucideIcon, UnfoldVertical, Waypoints } from 'lucide-react';
import { QUERY_KEYS } from '../../../api/query-keys.ts';
import { useRead } from '../../../api/use-read.ts';
import { useConsoleTexts } from '../../../text/use-console-texts.ts';
import { type EntryField, toEntryFields } from '../state/entry-fields.ts';
import { filterByTrace } from '../state/filter-by.ts';
import { entrySql } from '../state/log-queries.ts';
import type { LogsView } from '../state/logs-view.ts';

interface EntryDetailProps {
  readonly entry: LogEntry;
  readonly deployment: string;
  /** True if the view has no filter, so that the entry's surroundings are shown already. */
  readonly isWhole: boolean;
  onChange(changes: Partial<LogsView>): void;
  onFilterBy(field: string, value: unknown, isWanted: boolean): void;
}

/** All details of a log entry: its full text, and its fields as a tree with filter buttons. */
export function EntryDetail({ entry, deployment, isWhole, onChange, onFilterBy }: EntryDetailProps) {
  const { t } = useConsoleTexts();
  const tell = useTell();
  const query = entrySql(deployment, entry.timestamp);
  const { data, error, refetch } = useRead(
    QUERY_KEYS.logEntry(deployment, entry.timestamp),
    (client, signal) => client.post('/v1/sql', { body: { query }, signal }),
    { staleTime: Number.POSITIVE_INFINITY },
  );
  const row = data?.[0];
  const trace = typeof row?.['trace'] === 'string' ? row['trace'] : undefined;
  const lookAt = (filter: string) => onChange({ filter, severity: 'DEFAULT', isLive: false, entry: entry.timestamp });
  const copy = async (text: string) => {
    await navigator.clipboard.writeText(text);
    tell(t('parts.copied'));
  };
  const acts: readonly (readonly [icon: LucideIcon, label: string, act: (() => void) | false])[] = [
    [Copy, t('logs.entry.copyText'), () => void copy(entry.message)],
    [Braces, t('logs.entry.copy'), () => void copy(JSON.stringify({ ...row, ...entry }, null, 2))],
    [Link, t('logs.entry.link'), () => void copy(location.href)],
    [UnfoldVertical, t('logs.entry.around'), !isWhole && (() => lookAt(''))],
    [Waypoints, t('logs.entry.request'), trace !== undefined && (() => lookAt(filterByTrace(trace)))],
  ];
  return (
    <div className="flex flex-col gap-2 px-3 pt-1 pb-3 md:ps-6">
      <pre
        dir="ltr"
        className="max-h-96 overflow-auto rounded bg-sunken p-2 text-start font-mono text-xs/5 break-words whitespace-pre-wrap"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must take the focus, so that keys can scroll it
        tabIndex={0}
      >
        {entry.message}
      </pre>
      <div className="flex flex-wrap gap-1">
        {acts.map(
          ([Icon, label, act]) =>
            act && (
              <Button key={label} look="quiet" onClick={act}>
                <Icon aria-hidden className="size-3.5" />
                {label}
              </Button>
            ),
        )}
      </div>
      {error && <ErrorNote error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton shape="text" rows={4} />}
      {data && !row && <p className="text-ink-soft">{t('logs.entry.gone')}</p>}
      {row && (
        <ul dir="ltr" className="text-start font-mono text-xs/5">
          <FieldLine
            field={{ path: 'timestamp', depth: 0, name: 'timestamp', value: entry.timestamp }}
            onFilterBy={onFilterBy}
          />
          {toEntryFields(row).map((field) => (
            <FieldLine key={field.path} field={field} onFilterBy={onFilterBy} />
          ))}
        </ul>
      )}
    </div>
  );
}

interface FieldLineProps {
  readonly field: EntryField;
  onFilterBy(field: string, value: unknown, isWanted: boolean): void;
}

function FieldLine({ field, onFilterBy }: FieldLineProps) {
  const { t } = useConsoleTexts();
  const { path, depth, name, value } = field;
  return (
    <li
      className="group flex min-h-6 items-start gap-2 rounded px-1 hover:bg-hover"
      style={{ paddingInlineStart: 4 + depth * 16 }}
    >
      <span className="shrink-0 py-0.5 text-ink-soft">{name}</span>
      {value !== undefined && (
        <>
          <span className="min-w-0 py-0.5 break-words">{String(value)}</span>
          <span className="ms-auto flex shrink-0 opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 max-md:opacity-100">
            <IconButton
              icon={ListFilter}
              className="h-6! max-sm:size-8!"
              label={`${t('logs.entry.filterBy')}: ${path}`}
              onClick={() => onFilterBy(path, value, true)}
            />
            <IconButton
              icon={ListX}
              className="h-6! max-sm:size-8!"
              label={`${t('logs.entry.exclude')}: ${path}`}
              onClick={() => onFilterBy(path, value, false)}
            />
          </span>
        </>
      )}
    </li>
  );
}
