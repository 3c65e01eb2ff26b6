import { useVirtualizer } from '@tanstack/react-virtual';
import { useMemo, useRef, useState } from 'react';
import { columnWidths } from '../../components/column-widths.ts';
import { compareCells, type TableOrder } from '../../components/compare-cells.ts';
import { Columns, SortHeadings } from '../../components/sort-headings.tsx';
import { useChatTexts } from '../../text/use-chat-texts.ts';
import type { CsvTable as Data } from './parse-csv.ts';

const ROW_PX = 36;

/** A sortable table of any length; only visible rows are rendered. */
export function CsvTable({ headers, rows }: Pick<Data, 'headers' | 'rows'>) {
  const { t, language } = useChatTexts();
  const box = useRef<HTMLElement>(null);
  const [order, setOrder] = useState<TableOrder | undefined>();
  const shown = useMemo(() => {
    if (!order) return rows;
    const { column, isDown } = order;
    const sign = isDown ? -1 : 1;
    return rows.toSorted((a, b) => sign * compareCells(a[column] ?? '', b[column] ?? '', language));
  }, [rows, order, language]);
  const virtual = useVirtualizer({
    count: shown.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW_PX,
    overscan: 10,
  });
  const items = virtual.getVirtualItems();
  const widths = useMemo(() => columnWidths(headers, rows[0] ?? []), [headers, rows]);
  const cells = useMemo(() => headers.map((text) => ({ text, content: text })), [headers]);
  const gaps = { before: items[0]?.start ?? 0, after: virtual.getTotalSize() - (items.at(-1)?.end ?? 0) };
  return (
    <section
      ref={box}
      aria-label={t('part.table')}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll container must be reachable by keyboard
      tabIndex={0}
      className="max-h-[70vh] overflow-auto rounded-lg border border-line"
    >
      <table
        dir="auto"
        aria-rowcount={rows.length + 1}
        className="w-full table-fixed border-collapse text-start text-[0.8125rem]"
        style={{ minWidth: `${widths.reduce((sum, width) => sum + width, 0)}ch` }}
      >
        <Columns widths={widths} />
        <SortHeadings headers={cells} order={order} onOrder={setOrder} />
        <tbody>
          <Gap heightPx={gaps.before} />
          {items.map(({ index }) => (
            <tr key={index} aria-rowindex={index + 2} className="border-b border-line" style={{ height: ROW_PX }}>
              {headers.map((_, column) => {
                const text = shown[index]?.[column] ?? '';
                return (
                  // biome-ignore lint/suspicious/noArrayIndexKey: columns have no ID and never change places
                  <td key={column} dir="auto" title={text} className="truncate px-3">
                    {text}
                  </td>
                );
              })}
            </tr>
          ))}
          <Gap heightPx={gaps.after} />
        </tbody>
      </table>
    </section>
  );
}

/** Empty space in place of rows that are not rendered. */
function Gap({ heightPx }: { readonly heightPx: number }) {
  return heightPx > 0 ? (
    <tr aria-hidden style={{ height: heightPx }}>
      <td />
    </tr>
  ) : null;
}
