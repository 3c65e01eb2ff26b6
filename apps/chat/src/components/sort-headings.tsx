import { ArrowDown, ArrowUp } from 'lucide-react';
import type { ReactNode } from 'react';
import { useChatTexts } from '../text/use-chat-texts.ts';
import { nextOrder, type TableOrder } from './compare-cells.ts';

/** Columns of a table and their sort order. */
export interface Cell {
  readonly text: string;
  readonly content: ReactNode;
}

export interface SortHeadingsProps {
  readonly headers: readonly Cell[];
  readonly order: TableOrder | undefined;
  onOrder(order: TableOrder | undefined): void;
}

/** The heading row of a table. Pressing a column sorts ascending, then descending, then not at all. */
export function SortHeadings({ headers, order, onOrder }: SortHeadingsProps) {
  const { t } = useChatTexts();
  return (
    <thead className="sticky top-0 z-10 bg-sunken">
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
                onClick={() => onOrder(nextOrder(order, column))}
                className="flex w-full items-center gap-1 px-3 py-2 text-start font-semibold hover:bg-hover"
              >
                <span dir="auto" className="min-w-0 wrap-break-word">
                  {text === '' ? name : content}
                </span>
                <Arrow aria-hidden className={`size-3.5 shrink-0 ${isChosen ? '' : 'opacity-0'}`} />
              </button>
            </th>
          );
        })}
      </tr>
    </thead>
  );
}

/** Renders column widths, given in characters. */
export function Columns({ widths }: { readonly widths: readonly number[] }) {
  return (
    <colgroup>
      {widths.map((width, column) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a column is what stands at its place
        <col key={column} style={{ width: `${width}ch` }} />
      ))}
    </colgroup>
  );
}
