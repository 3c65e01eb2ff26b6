import { useVirtualizer } from '@tanstack/react-virtual';
import { useMemo, useRef } from 'react';
import { SortableTable, useSortedRows } from '../../components/sortable-table.tsx';
import { useChatTexts } from '../../text/use-chat-texts.ts';
import type { CsvTable as Data } from './parse-csv.ts';

const ROW_PX = 36;

const textOf = (row: readonly string[], column: number) => row[column] ?? '';

/** A sortable table of any length; only visible rows are rendered. */
export function CsvTable({ headers, rows }: Pick<Data, 'headers' | 'rows'>) {
  const { t } = useChatTexts();
  const box = useRef<HTMLElement>(null);
  const { shown, ...sorting } = useSortedRows(rows, textOf);
  const virtual = useVirtualizer({
    count: shown.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW_PX,
    overscan: 10,
  });
  const items = virtual.getVirtualItems();
  const cells = useMemo(() => headers.map((text) => ({ text, content: text })), [headers]);
  return (
    <section
      ref={box}
      aria-label={t('part.table')}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll container must be reachable by keyboard
      tabIndex={0}
      className="max-h-[70vh] overflow-auto rounded-lg border border-line"
    >
      <SortableTable
        {...{ headers: cells, first: rows[0] ?? [], rowCount: rows.length + 1, ...sorting }}
        className="text-[0.8125rem]"
      >
        <Gap heightPx={items[0]?.start ?? 0} />
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
        <Gap heightPx={virtual.getTotalSize() - (items.at(-1)?.end ?? 0)} />
      </SortableTable>
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
