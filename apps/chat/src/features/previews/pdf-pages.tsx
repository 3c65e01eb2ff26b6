import { ErrorNote, Skeleton } from '@berth/ui';
import { getDocument, type PDFDocumentProxy } from 'pdfjs-dist';
import { useEffect, useState } from 'react';
import { useChatTexts } from '../../text/use-chat-texts.ts';
import { PdfPage } from './pdf-page.tsx';

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

/** Maximum number of pages to read ahead; later pages can be searched once they are rendered. */
const MAX_PAGES = 300;
/** Number of pages between updates of the component. */
const STEP = 20;

/** Returns the text of each page read so far, so that find in page works before a page is rendered. */
export function usePdfWords(document: PDFDocumentProxy | undefined): readonly string[] {
  const [words, setWords] = useState<readonly string[]>([]);
  useEffect(() => {
    if (!document) return;
    let isLeft = false;
    const read = async () => {
      const found: string[] = [];
      for (let number = 1; number <= Math.min(document.numPages, MAX_PAGES) && !isLeft; number++) {
        const { items } = await (await document.getPage(number)).getTextContent();
        found.push(items.map((item) => ('str' in item ? item.str + (item.hasEOL ? '\n' : '') : '')).join(''));
        if (number % STEP === 0 || number === document.numPages) setWords([...found]);
        // Yield to input events.
        await new Promise((resolve) => setTimeout(resolve));
      }
    };
    // A page that cannot be read shows its error when it is rendered.
    read().catch(() => undefined);
    return () => {
      isLeft = true;
    };
  }, [document]);
  return words;
}
