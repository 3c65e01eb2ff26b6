import { formatCell } from '@berth/client';
import type { SqlRow } from '@berth/contract';
import { classNames } from '@berth/ui';
import { useVirtualizer } from '@tanstack/react-virtual';
import { ArrowUp } from 'lucide-react';
import { useId, useMemo, useRef, useState } from 'react';
import { useConsoleTexts } from '../../../text/use-console-texts.ts';
import { nextOrder, type RowOrder, sortRows } from '../state/sort-rows.ts';
import { RowDetail } from './row-detail.tsx';

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
