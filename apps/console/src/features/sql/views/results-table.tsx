import { formatCell } from '@berth/client';
import type { SqlRow } from '@berth/contract';
import { Button, classNames, Dialog, IconButton, useTell } from '@berth/ui';
import { useVirtualizer } from '@tanstack/react-virtual';
import { ArrowUp, ChevronDown, ChevronUp, Copy } from 'lucide-react';
import { type KeyboardEvent, useId, useMemo, useRef, useState } from 'react';
import { useConsoleTexts } from '../../../text/use-console-texts.ts';
import { nextOrder, type RowOrder, sortRows } from '../state/sort-rows.ts';

const ROW_PX = 28;
const CHARACTER_PX = 7.5;
/** Number of rows measured to set the column widths. */
const MEASURED_ROWS = 200;

/** Virtualized table of result rows that scrolls in both directions. */
export function ResultsTable({ rows: answered }: { readonly rows: readonly SqlRow[] }) {
  const [order, setOrder] = useState<RowOrder>();
  const hintId = useId();
  const [openRow, setOpenRow] = useState<number>();
  const rows = useMemo(() => sortRows(answered, order), [answered, order]);
  const { t } = useConsoleTexts();
  const boxRef = useRef<HTMLDivElement>(null);
  const columns = useMemo(() => measureColumns(answered), [answered]);
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => boxRef.current,
    estimateSize: () => ROW_PX,
    overscan: 12,
    // The headings are sticky, so rows need no scroll margin for them.
    scrollMargin: 0,
    paddingStart: ROW_PX,
  });
  const tracks = columns.map(({ widthPx }) => `${widthPx}px`).join(' ');
  const widthPx = columns.reduce((sum, column) => sum + column.widthPx, 0);
  return (
    <>
      <div
        ref={boxRef}
        role="table"
        aria-label={t('sql.result')}
        aria-rowcount={rows.length + 1}
        // A scrollable region must take the focus, so that keys can scroll it.
        // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
        tabIndex={0}
        aria-describedby={hintId}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.target !== event.currentTarget) return;
          event.preventDefault();
          setOpenRow(virtualizer.range?.startIndex ?? 0);
        }}
        dir="ltr"
        className="max-h-[60vh] overflow-auto rounded-md border border-line bg-raised text-start font-mono text-xs"
      >
        <div role="rowgroup" className="sticky top-0 z-10 h-0">
          <div
            role="row"
            aria-rowindex={1}
            className="grid min-w-full border-b border-line bg-sunken"
            style={{ gridTemplateColumns: tracks, height: ROW_PX, width: widthPx }}
          >
            {columns.map(({ name, isNumber }) => (
              <div
                key={name}
                role="columnheader"
                aria-sort={order?.name === name ? (order.isDown ? 'descending' : 'ascending') : 'none'}
              >
                <button
                  type="button"
                  title={name}
                  onClick={() => setOrder(nextOrder(order, name))}
                  className={classNames(
                    'flex w-full items-center gap-1 px-2 leading-7 text-ink-soft -outline-offset-2 hover:text-ink',
                    isNumber && 'flex-row-reverse',
                  )}
                >
                  <span className="truncate">{name}</span>
                  {order?.name === name && (
                    <ArrowUp aria-hidden className={classNames('size-3 shrink-0', order.isDown && 'rotate-180')} />
                  )}
                </button>
              </div>
            ))}
          </div>
        </div>
        <div
          role="rowgroup"
          className="relative min-w-full"
          style={{ height: virtualizer.getTotalSize(), width: widthPx }}
        >
          {virtualizer.getVirtualItems().map(({ index, start }) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: keys are handled on the table
            <div
              key={index}
              role="row"
              aria-rowindex={index + 2}
              className="absolute inset-x-0 top-0 grid cursor-pointer border-b border-line hover:bg-hover"
              onClick={() => setOpenRow(index)}
              style={{ gridTemplateColumns: tracks, height: ROW_PX, transform: `translateY(${start}px)` }}
            >
              {columns.map(({ name, isNumber }) => {
                const text = formatCell(rows[index]?.[name]);
                return (
                  <div
                    key={name}
                    role="cell"
                    title={text.length > 40 ? text.slice(0, 2_000) : undefined}
                    className={classNames('truncate px-2 leading-7', isNumber && 'text-end')}
                  >
                    {text.slice(0, 300)}
                  </div>
                );
              })}
            </div>
          ))}
        </div>
      </div>
      <span id={hintId} className="sr-only">
        {t('sql.table.keys')}
      </span>
      {openRow !== undefined && (
        <RowDetail rows={rows} index={openRow} onMove={setOpenRow} onClose={() => setOpenRow(undefined)} />
      )}
    </>
  );
}

function measureColumns(rows: readonly SqlRow[]) {
  const measured = rows.slice(0, MEASURED_ROWS);
  return Object.keys(rows[0] ?? {}).map((name) => {
    const texts = measured.map((row) => formatCell(row[name]));
    const characters = Math.min(Math.max(name.length, ...texts.map((text) => text.length)), 60);
    const isNumber = measured.every((row) => row[name] === null || typeof row[name] === 'number');
    return { name, isNumber, widthPx: Math.ceil(characters * CHARACTER_PX) + 32 };
  });
}

interface RowDetailProps {
  readonly rows: readonly SqlRow[];
  readonly index: number;
  onMove(index: number): void;
  onClose(): void;
}

/** Dialog with all values of one row. The arrow keys move to the neighboring rows. */
function RowDetail({ rows, index, onMove, onClose }: RowDetailProps) {
  const { t, formats } = useConsoleTexts();
  const tell = useTell();
  const row = rows[index];
  if (!row) return null;
  const move = (step: number) => {
    if (rows[index + step]) onMove(index + step);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'ArrowUp' || event.key === 'ArrowDown') {
      event.preventDefault();
      move(event.key === 'ArrowUp' ? -1 : 1);
    }
  };
  const title = t('sql.row', { index: formats.number(index + 1), count: formats.number(rows.length) });
  return (
    <Dialog title={title} isOpen isWide onClose={onClose}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the arrow keys are shortcuts for the buttons inside */}
      <div className="flex flex-col gap-3" onKeyDown={onKeyDown}>
        <div className="flex gap-1">
          <IconButton icon={ChevronUp} label={t('sql.row.before')} disabled={index === 0} onClick={() => move(-1)} />
          <IconButton
            icon={ChevronDown}
            label={t('sql.row.after')}
            disabled={index === rows.length - 1}
            onClick={() => move(1)}
          />
          <Button
            look="quiet"
            className="ms-auto"
            onClick={() => {
              void navigator.clipboard.writeText(JSON.stringify(row, null, 2)).then(() => tell(t('parts.copied')));
            }}
          >
            <Copy aria-hidden className="size-3.5" />
            {t('logs.entry.copy')}
          </Button>
        </div>
        <dl dir="ltr" className="flex flex-col divide-y divide-line text-start font-mono text-xs/5">
          {Object.entries(row).map(([name, value]) => (
            <div key={name} className="grid gap-x-4 py-1.5 sm:grid-cols-[12rem_minmax(0,1fr)]">
              <dt className="truncate text-ink-soft" title={name}>
                {name}
              </dt>
              <dd className="min-w-0 break-words whitespace-pre-wrap">
                {value === null ? <span className="text-ink-soft">NULL</span> : showValue(value)}
              </dd>
            </div>
          ))}
        </dl>
      </div>
    </Dialog>
  );
}

function showValue(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value, null, 2) : formatCell(value);
}
