import type { LogEntry } from '@berth/contract';
import { classNames } from '@berth/ui';
import { ChevronRight } from 'lucide-react';
import { memo } from 'react';
import type { LogsLook } from '../state/logs-look.ts';
import type { LogsView } from '../state/logs-view.ts';
import { groupOf, type SeverityGroup } from '../state/severities.ts';
import { EntryDetail } from './entry-detail.tsx';

interface EntryRowProps {
  readonly entry: LogEntry;
  readonly deployment: string;
  readonly isOpen: boolean;
  readonly formatMoment: (timestamp: string) => string;
  readonly look: LogsLook;
  readonly isWhole: boolean;
  onOpen(entry: string | undefined): void;
  onChange(changes: Partial<LogsView>): void;
  onFilterBy(field: string, value: unknown, isWanted: boolean): void;
}

/** One log entry on one line; expanded, with all details. Memoized, because there are many. */
export const EntryRow = memo(function EntryRow(props: EntryRowProps) {
  const { entry, deployment, isOpen, formatMoment, look, isWhole, onOpen, onChange, onFilterBy } = props;
  return (
    <div className={classNames('border-b border-line', isOpen && 'bg-raised')}>
      <button
        type="button"
        dir="ltr"
        aria-expanded={isOpen}
        onClick={() => onOpen(isOpen ? undefined : entry.timestamp)}
        className="flex w-full items-center gap-2 px-1 py-0.5 text-start font-mono text-xs/5 -outline-offset-2 hover:bg-hover max-md:flex-wrap max-md:gap-y-0 max-md:py-1.5"
      >
        <ChevronRight aria-hidden className={classNames('size-3.5 shrink-0 text-ink-soft', isOpen && 'rotate-90')} />
        <time dateTime={entry.timestamp} title={entry.timestamp} className="shrink-0 text-ink-soft">
          {formatMoment(entry.timestamp)}
        </time>
        {look.hasSeverity && <SeverityMark severity={entry.severity} />}
        <span
          className={classNames(
            'min-w-0 flex-1 max-md:basis-full max-md:ps-5',
            look.isWrapped ? 'break-words whitespace-pre-wrap' : 'truncate',
          )}
        >
          {entry.message}
        </span>
      </button>
      {isOpen && (
        <EntryDetail
          entry={entry}
          deployment={deployment}
          isWhole={isWhole}
          onChange={onChange}
          onFilterBy={onFilterBy}
        />
      )}
    </div>
  );
});

const SEVERITY_LOOKS: Readonly<Record<SeverityGroup, string>> = {
  error: 'bg-bad-soft text-bad',
  warning: 'bg-warn-soft text-warn',
  info: 'text-ink-soft',
};

/** Label of a severity, highlighted for warnings and errors. */
function SeverityMark({ severity }: { readonly severity: string }) {
  return (
    <span
      className={classNames(
        'inline-block w-20 shrink-0 truncate rounded px-1.5 text-center max-md:w-auto',
        SEVERITY_LOOKS[groupOf(severity)],
      )}
    >
      {severity}
    </span>
  );
}
