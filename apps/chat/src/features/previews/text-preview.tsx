import { ErrorNote, Skeleton } from '@berth/ui';
import { useMemo } from 'react';
import type { FileUrl } from '../../api/file-path.ts';
import { useChatTexts } from '../../text/use-chat-texts.ts';
import { CodeView } from '../code/code-view.tsx';
import { MarkdownView } from '../markdown/views/markdown-view.tsx';
import { useFile } from '../media/use-file.ts';
import { CsvTable } from './csv-table.tsx';
import { parseCsv } from './parse-csv.ts';
import type { Preview } from './preview-of.ts';

/** Maximum number of table rows to read. */
const MAX_ROWS = 100_000;

const toText = (blob: Blob) => blob.text();

/** A preview of a text file as a table, Markdown or code. */
export function TextPreview({ url, preview }: { readonly url: FileUrl; readonly preview: Preview }) {
  const { value: text, error } = useFile(url, toText);
  if (error !== undefined) return <ErrorNote error={error} />;
  if (text === undefined) return <Skeleton rows={8} />;
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
