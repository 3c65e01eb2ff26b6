import { ErrorNote, Skeleton } from '@berth/web';
import { useEffect, useMemo, useState } from 'react';
import { parseCsv } from '../../state/files/parse-csv.ts';
import type { Preview } from '../../state/files/preview-of.ts';
import { useChatTexts } from '../../text/use-chat-texts.ts';
import { MarkdownView } from '../markdown/markdown-view.tsx';
import { CodeView } from '../parts/code-view.tsx';
import { PartTable } from '../parts/table-view.tsx';
import { useBlob } from './use-blob.ts';

/** As many rows of a table are drawn. */
const MAX_ROWS = 500;

/** A file of text: as a table, as markdown, or as it is. */
export function TextPreview({ url, preview }: { readonly url: string; readonly preview: Preview }) {
  const { blob, error } = useBlob(url);
  const [text, setText] = useState<string | undefined>();
  useEffect(() => void blob?.text().then(setText), [blob]);
  if (error !== undefined) return <ErrorNote error={error} />;
  if (text === undefined) return <Skeleton rows={8} />;
  if (preview.kind === 'csv') return <CsvPreview text={text} />;
  if (preview.kind === 'markdown') return <MarkdownView text={text} />;
  return <CodeView code={text} language={preview.kind === 'code' ? preview.language : ''} />;
}

function CsvPreview({ text }: { readonly text: string }) {
  const { t } = useChatTexts();
  const { headers, rows, isCut } = useMemo(() => parseCsv(text, MAX_ROWS), [text]);
  const part = useMemo(
    () => ({ type: 'table' as const, headers: [...headers], rows: rows.map((row) => [...row]) }),
    [headers, rows],
  );
  return (
    <>
      <PartTable part={part} />
      {isCut && <p className="text-ink-soft">{t('files.cut', { count: rows.length })}</p>}
    </>
  );
}
