import type { TablePart } from '@berth/contract/agent';
import { ArrowDown, ArrowUp } from 'lucide-react';
import type { Tokens } from 'marked';
import { memo, type ReactNode, useMemo, useState } from 'react';
import { compareCells, type TableOrder } from '../../state/compare-cells.ts';
import { useChatTexts } from '../../text/use-chat-texts.ts';
import { Inline } from '../markdown/inline-view.tsx';
import { ScrollBox } from './scroll-box.tsx';

interface Cell {
  /** What it is sorted by. */
  readonly text: string;
  readonly content: ReactNode;
}

interface TableProps {
  readonly headers: readonly Cell[];
  readonly rows: readonly (readonly Cell[])[];
}

/** A table that the agent sent as one. */
export const PartTable = memo(function PartTable({ part }: { readonly part: TablePart }) {
  const toCell = (value: unknown): Cell => ({ text: String(value), content: String(value) });
  return <Table headers={part.headers.map(toCell)} rows={part.rows.map((row) => row.map(toCell))} />;
});

/** A table of markdown. */
export const MarkdownTable = memo(function MarkdownTable({ table }: { readonly table: Tokens.Table }) {
  const toCell = ({ text, tokens }: Tokens.TableCell): Cell => ({ text, content: <Inline tokens={tokens} /> });
  return <Table headers={table.header.map(toCell)} rows={table.rows.map((row) => row.map(toCell))} />;
});

/** Rows in their own order, or in that of a column whose heading was pressed; a third press brings their own back. */
function Table({ headers, rows }: TableProps) {
  const { t, language } = useChatTexts();
  const [order, setOrder] = useState<TableOrder | undefined>();
  const shown = useMemo(() => {
    if (!order) return rows;
    const sign = order.isDown ? -1 : 1;
    const textOf = (row: readonly Cell[]) => row[order.column]?.text ?? '';
    return rows.toSorted((a, b) => sign * compareCells(textOf(a), textOf(b), language));
  }, [rows, order, language]);
  const press = (column: number) =>
    setOrder(
      order?.column !== column ? { column, isDown: false } : order.isDown ? undefined : { column, isDown: true },
    );
  return (
    <ScrollBox label={t('part.table')} className="my-3 max-h-[32rem] rounded-lg border border-line">
      <table dir="auto" className="w-full border-collapse text-start">
        {headers.length > 0 && (
          <thead className="sticky top-0 bg-sunken">
            <tr>
              {headers.map(({ text, content }, column) => {
                const isChosen = order?.column === column;
                const Arrow = order?.isDown ? ArrowDown : ArrowUp;
                const sorted = isChosen ? (order.isDown ? 'descending' : 'ascending') : undefined;
                const name = text || t('part.column', { count: column + 1 });
                return (
                  // biome-ignore lint/suspicious/noArrayIndexKey: a column is what stands at its place
                  <th key={column} scope="col" aria-sort={sorted} className="border-b border-line p-0 text-start">
                    <button
                      type="button"
                      title={t('part.sort', { name })}
                      onClick={() => press(column)}
                      className="flex w-full items-center gap-1 px-3 py-2 text-start font-semibold hover:bg-hover"
                    >
                      <span dir="auto">{text === '' ? name : content}</span>
                      <Arrow aria-hidden className={isChosen ? 'size-3.5' : 'size-3.5 opacity-0'} />
                    </button>
                  </th>
                );
              })}
            </tr>
          </thead>
        )}
        <tbody>
          {shown.map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows have no other name
            <tr key={index} className="border-b border-line last:border-0">
              {row.map(({ content }, column) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: a column is what stands at its place
                <td key={column} dir="auto" className="px-3 py-2 align-top">
                  {content}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  );
}
