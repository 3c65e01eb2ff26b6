import { Button, Dialog, INPUT_CLASS, Time } from '@berth/ui';
import { useState } from 'react';
import { useConsoleTexts } from '../../../text/use-console-texts.ts';
import type { PastQuery } from '../state/query-history.ts';

interface HistoryDialogProps {
  readonly past: readonly PastQuery[];
  onChoose(query: string): void;
  onClear(): void;
  onClose(): void;
}

/** Dialog that lists past queries, newest first, to open one again. */
export function HistoryDialog({ past, onChoose, onClear, onClose }: HistoryDialogProps) {
  const { t, formats } = useConsoleTexts();
  const [wanted, setWanted] = useState('');
  const shown = past.filter(({ query }) => query.toLowerCase().includes(wanted.toLowerCase()));
  return (
    <Dialog title={t('sql.history')} description={t('sql.history.where')} isOpen isWide onClose={onClose}>
      <div className="flex flex-col gap-3">
        <div className="flex gap-2">
          <input
            type="search"
            aria-label={t('sql.history.search')}
            placeholder={t('sql.history.search')}
            value={wanted}
            onChange={(event) => setWanted(event.target.value)}
            className={INPUT_CLASS}
          />
          <Button disabled={past.length === 0} onClick={onClear}>
            {t('sql.history.clear')}
          </Button>
        </div>
        {shown.length === 0 && <p className="text-ink-soft">{t('sql.history.none')}</p>}
        <ul className="flex flex-col divide-y divide-line">
          {shown.map(({ query, atMs, tookMs, rows }) => (
            <li key={query}>
              <button
                type="button"
                onClick={() => onChoose(query)}
                className="flex w-full flex-col gap-1 rounded px-2 py-2 text-start hover:bg-hover"
              >
                <code dir="ltr" className="line-clamp-3 w-full text-start font-mono text-xs whitespace-pre-wrap">
                  {query}
                </code>
                <span className="text-xs text-ink-soft">
                  <Time at={atMs} /> ·{' '}
                  {rows === undefined
                    ? t('sql.history.failed')
                    : t('sql.rows', { count: rows, time: formats.span(tookMs / 1_000, 's', 2) })}
                </span>
              </button>
            </li>
          ))}
        </ul>
      </div>
    </Dialog>
  );
}
