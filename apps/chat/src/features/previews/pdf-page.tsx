import { ErrorNote } from '@berth/ui';
import { type PDFDocumentProxy, TextLayer } from 'pdfjs-dist';
import { type RefObject, useCallback, useEffect, useRef, useState } from 'react';
import { UntilFound } from '../../components/until-found.tsx';
import { useChatTexts } from '../../text/use-chat-texts.ts';

/** Maximum device pixel ratio for rendering; a higher one needs more memory than phones have. */
const MAX_SCALE = 2;
/** The aspect ratio of a page before its size is known: ISO A4. */
const A4 = 1 / Math.SQRT2;

export interface PdfPageProps {
  readonly document: PDFDocumentProxy;
  readonly number: number;
  /** The page's text, for find in page before it is rendered; undefined until it has been read. */
  readonly words: string | undefined;
}

/** A page of a PDF: its image and a text layer, which can be selected, searched and read by screen readers. */
export function PdfPage({ document, number, words }: PdfPageProps) {
  const { t } = useChatTexts();
  const place = useRef<HTMLElement>(null);
  const [isNear, setNear] = useNear(place);
  const { canvas, layer, ratio, error } = useDrawn(document, number, isNear);
  const onFound = useCallback(() => setNear(true), [setNear]);
  if (error !== undefined) return <ErrorNote error={error} />;
  return (
    <section
      ref={place}
      aria-label={t('files.page', { count: number })}
      style={{ aspectRatio: ratio }}
      className="relative w-full shrink-0 overflow-hidden rounded-md border border-line bg-white"
    >
      {isNear ? (
        <>
          <canvas ref={canvas} aria-hidden className="size-full" />
          <div ref={layer} dir="ltr" className="pdf-words" />
        </>
      ) : (
        words !== undefined && <UntilFound text={words} onFound={onFound} />
      )}
    </section>
  );
}

function useDrawn(document: PDFDocumentProxy, number: number, isNear: boolean) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const layer = useRef<HTMLDivElement>(null);
  const [ratio, setRatio] = useState(A4);
  const [error, setError] = useState<unknown>();
  useEffect(() => {
    const [picture, words] = [canvas.current, layer.current];
    if (!isNear || !picture || !words) return;
    let isLeft = false;
    const draw = async () => {
      const page = await document.getPage(number);
      const { width, height } = page.getViewport({ scale: 1 });
      if (isLeft) return;
      setRatio(width / height);
      const scale = picture.clientWidth / width;
      const sharp = page.getViewport({ scale: scale * Math.min(devicePixelRatio, MAX_SCALE) });
      picture.width = Math.round(sharp.width);
      picture.height = Math.round(sharp.height);
      await page.render({ canvas: picture, viewport: sharp }).promise;
      if (isLeft) return;
      words.replaceChildren();
      words.style.setProperty('--total-scale-factor', String(scale));
      const viewport = page.getViewport({ scale });
      await new TextLayer({ textContentSource: page.streamTextContent(), container: words, viewport }).render();
    };
    draw().catch((failure: unknown) => isLeft || setError(failure));
    return () => {
      isLeft = true;
    };
  }, [document, number, isNear]);
  return { canvas, layer, ratio, error };
}

/** Returns true once the element has come near the viewport, and a function that sets this value. */
function useNear(target: RefObject<Element | null>) {
  const [isNear, setNear] = useState(false);
  useEffect(() => {
    if (isNear || !target.current) return;
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && setNear(true), {
      rootMargin: '400px',
    });
    observer.observe(target.current);
    return () => observer.disconnect();
  }, [isNear, target]);
  return [isNear, setNear] as const;
}
