import { ErrorNote, Skeleton } from '@berth/web';
import { getDocument, type PDFDocumentProxy } from 'pdfjs-dist';
import { useEffect, useRef, useState } from 'react';
import { useChatTexts } from '../../text/use-chat-texts.ts';

/** Pages are drawn as sharp as the screen, up to this: more takes memory that phones don't have. */
const MAX_SCALE = 2;

/** A PDF as pictures of its pages, each drawn when it comes near. Nothing of it is run, followed or submitted. */
export function PdfPages({ blob }: { readonly blob: Blob }) {
  const { t } = useChatTexts();
  const [document, setDocument] = useState<PDFDocumentProxy | undefined>();
  const [error, setError] = useState<unknown>();
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
        <PdfPage key={number} document={document} number={number} />
      ))}
    </div>
  );
}

async function openPdf(blob: Blob): Promise<PDFDocumentProxy> {
  // In this thread: the page's policy lets no worker begin.
  const worker: unknown = await import('pdfjs-dist/build/pdf.worker.mjs');
  Object.assign(globalThis, { pdfjsWorker: worker });
  const data = new Uint8Array(await blob.arrayBuffer());
  // The policy lets no WebAssembly be compiled, and nothing be fetched for a file.
  return await getDocument({ data, useWasm: false, useWorkerFetch: false, enableXfa: false }).promise;
}

interface PdfPageProps {
  readonly document: PDFDocumentProxy;
  readonly number: number;
}

function PdfPage({ document, number }: PdfPageProps) {
  const { t } = useChatTexts();
  const canvas = useRef<HTMLCanvasElement>(null);
  const isNear = useNear(canvas);
  const [isDrawn, setDrawn] = useState(false);
  const [error, setError] = useState<unknown>();
  useEffect(() => {
    const target = canvas.current;
    if (!isNear || !target) return;
    let isLeft = false;
    const draw = async () => {
      const page = await document.getPage(number);
      const { width } = page.getViewport({ scale: 1 });
      const scale = (target.clientWidth / width) * Math.min(devicePixelRatio, MAX_SCALE);
      const viewport = page.getViewport({ scale });
      if (isLeft) return;
      target.width = Math.round(viewport.width);
      target.height = Math.round(viewport.height);
      await page.render({ canvas: target, viewport }).promise;
      setDrawn(true);
    };
    draw().catch((failure: unknown) => isLeft || setError(failure));
    return () => {
      isLeft = true;
    };
  }, [document, number, isNear]);
  if (error !== undefined) return <ErrorNote error={error} />;
  return (
    <canvas
      ref={canvas}
      role="img"
      aria-label={t('files.page', { count: number })}
      className={`w-full rounded-md border border-line bg-white ${isDrawn ? '' : 'aspect-[1/1.414]'}`}
    />
  );
}

/** True from the moment that the element was nearly in sight. */
function useNear(target: React.RefObject<Element | null>): boolean {
  const [isNear, setNear] = useState(false);
  useEffect(() => {
    if (isNear || !target.current) return;
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && setNear(true), {
      rootMargin: '400px',
    });
    observer.observe(target.current);
    return () => observer.disconnect();
  }, [isNear, target]);
  return isNear;
}
