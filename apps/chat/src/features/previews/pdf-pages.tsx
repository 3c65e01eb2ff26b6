import { ErrorNote, Skeleton } from '@berth/ui';
import { getDocument, type PDFDocumentProxy } from 'pdfjs-dist';
import { useEffect, useState } from 'react';
import { useChatTexts } from '../../text/use-chat-texts.ts';
import { PdfPage } from './pdf-page.tsx';
import { usePdfWords } from './use-pdf-words.ts';

/**
 * A PDF as images of its pages with a text layer over each; a page is rendered when it comes near the viewport. Scripts, links
 * and forms of the PDF do not work.
 */
export function PdfPages({ blob }: { readonly blob: Blob }) {
  const { t } = useChatTexts();
  const [document, setDocument] = useState<PDFDocumentProxy | undefined>();
  const [error, setError] = useState<unknown>();
  const words = usePdfWords(document);
  useEffect(() => {
    let isLeft = false;
    const opened = openPdf(blob);
    opened.then(
      (pdf) => isLeft || setDocument(pdf),
      (failure: unknown) => isLeft || setError(failure),
    );
    return () => {
      isLeft = true;
      opened.then(
        (pdf) => pdf.loadingTask.destroy(),
        () => undefined,
      );
    };
  }, [blob]);
  if (error !== undefined) return <ErrorNote error={error} />;
  if (!document) return <Skeleton rows={8} />;
  const numbers = Array.from({ length: document.numPages }, (_, index) => index + 1);
  return (
    <div className="flex flex-col gap-3">
      <p className="text-xs text-ink-soft">{t('files.pages', { count: document.numPages })}</p>
      {numbers.map((number) => (
        <PdfPage key={number} document={document} number={number} words={words[number - 1]} />
      ))}
    </div>
  );
}

async function openPdf(blob: Blob): Promise<PDFDocumentProxy> {
  // The parser runs in this thread: the page's content security policy forbids workers.
  const worker: unknown = await import('pdfjs-dist/build/pdf.worker.mjs');
  Object.assign(globalThis, { pdfjsWorker: worker });
  const data = new Uint8Array(await blob.arrayBuffer());
  // The content security policy also forbids WebAssembly and fetching resources for a file.
  return await getDocument({ data, useWasm: false, useWorkerFetch: false, enableXfa: false }).promise;
}
