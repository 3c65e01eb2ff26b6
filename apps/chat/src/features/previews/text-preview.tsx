import { ErrorNote, Skeleton } from '@berth/ui';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useMemo, useRef } from 'react';
import type { FileUrl } from '../../api/file-path.ts';
import { directionOf } from '../../components/direction-of.ts';
import { useHiddenSides } from '../../components/scroll-box.tsx';
import { SortableTable, useSortedRows } from '../../components/sortable-table.tsx';
import { useChatTexts } from '../../text/use-chat-texts.ts';
import { CodeView } from '../code/code-view.tsx';
import { MarkdownView } from '../markdown/views/markdown-view.tsx';
import { useFile } from '../media/use-file.ts';
import { type CsvTable as Data, parseCsv } from './parse-csv.ts';
import type { Preview } from './preview-of.ts';

/** Maximum number of table rows to read. */
const MAX_ROWS = 100_000;

const toText = (blob: Blob) => blob.text();

/** A preview of a text file as a table, Markdown or code. */
export function TextPreview({ url, preview }: { readonly url: FileUrl; readonly preview: Preview }) {
  const { value: text, error } = useFile(url, toText);
  if (error !== undefined) return <ErrorNote error={error} />;
  if (text === undefined) return <Skeleton shape="text" rows={8} />;
  if (preview.kind === 'csv') return <CsvPreview text={text} />;
  if (preview.kind === 'markdown') return <MarkdownView text={text} />;
  return <CodeView code={text} language={preview.kind === 'code' ? preview.language : ''} />;
}

function CsvPreview({ text }: { readonly text: string }) {
  const { t } = useChatTexts();
  const { headers, rows, isCut } = useMemo(() => parseCsv(text, MAX_ROWS), [text]);
  return (
    <>
      <p className="text-xs text-ink-soft">{t(isCut ? 'files.cut' : 'files.rows', { count: rows.length })}</p>
      <CsvTable headers={headers} rows={rows} />
    </>
  );
}

const ROW_PX = 36;
/** Number of rows whose texts set the column widths. */
const MEASURED_ROWS = 100;

const textOf = (row: readonly string[], column: number) => row[column] ?? '';

/** A sortable table of any length; only visible rows are rendered. */
export function CsvTable({ headers, rows }: Pick<Data, 'headers' | 'rows'>) {
  const { t } = useChatTexts();
  const box = useRef<HTMLElement>(null);
  useHiddenSides(box);
  const { shown, ...sorting } = useSortedRows(rows, textOf);
  const virtual = useVirtualizer({
    count: shown.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW_PX,
    overscan: 10,
  });
  const items = virtual.getVirtualItems();
  const measured = useMemo(() => rows.slice(0, MEASURED_ROWS), [rows]);
  const cells = useMemo(() => headers.map((text) => ({ text, content: text })), [headers]);
  return (
    <section
      ref={box}
      aria-label={t('part.table')}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll container must be reachable by keyboard
      tabIndex={0}
      dir={directionOf(headers.join(' '))}
      className="scroll-box max-h-[70vh] overflow-auto rounded-lg border border-line"
    >
      <SortableTable
        {...{ headers: cells, measured, rowCount: rows.length + 1, ...sorting }}
        className="text-[0.8125rem]"
      >
        <Gap heightPx={items[0]?.start ?? 0} />
        {items.map(({ index }) => (
          <tr key={index} aria-rowindex={index + 2} className="border-b border-line" style={{ height: ROW_PX }}>
            {headers.map((_, column) => {
              const text = shown[index]?.[column] ?? '';
              return (
                // biome-ignore lint/suspicious/noArrayIndexKey: columns have no ID and never change places
                <td key={column} title={text} className="truncate px-3">
                  <bdi>{text}</bdi>
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
