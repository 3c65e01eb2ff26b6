import type { PDFDocumentProxy } from 'pdfjs-dist';
import { useEffect, useState } from 'react';

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
