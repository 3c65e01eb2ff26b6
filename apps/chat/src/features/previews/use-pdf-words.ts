import type { PDFDocumentProxy } from 'pdfjs-dist';
import { useEffect, useState } from 'react';

/** Longer documents are searched as far as they have been looked at. */
const MAX_PAGES = 300;
/** So many pages are told at once. */
const STEP = 20;

/** The words of each page, as far as they have been read: for the browser's own search. */
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
        // What people do comes first.
        await new Promise((resolve) => setTimeout(resolve));
      }
    };
    // A page that can't be read says so where it is drawn.
    read().catch(() => undefined);
    return () => {
      isLeft = true;
    };
  }, [document]);
  return words;
}
