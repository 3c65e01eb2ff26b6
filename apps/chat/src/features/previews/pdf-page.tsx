import { ErrorNote } from '@berth/ui';
import { type PDFDocumentProxy, TextLayer } from 'pdfjs-dist';
import { type RefObject, useCallback, useEffect, useRef, useState } from 'react';
import { UntilFound } from '../../components/until-found.tsx';
import { useChatTexts } from '../../text/use-chat-texts.ts';

/** Pages are drawn as sharp as the screen, up to this: more takes memory that phones don't have. */
const MAX_SCALE = 2;
/** Of a page whose size is not known yet: ISO A4. */
const A4 = 1 / Math.SQRT2;

export interface PdfPageProps {
  readonly document: PDFDocumentProxy;
  readonly number: number;
  /** What stands on it, for who searches before it is drawn; undefined until it has been read. */
  readonly words: string | undefined;
}

/** A page: its picture, and over it its words, to be selected, found and read aloud. */
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

/** True from the moment that the element was nearly in sight. */
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
