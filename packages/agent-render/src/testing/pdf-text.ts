import { getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs';

/** Returns the text of each page of a PDF. */
export async function pdfText(pdf: Uint8Array): Promise<readonly string[]> {
  const loading = getDocument({ data: new Uint8Array(pdf), useSystemFonts: false, verbosity: 0 });
  const document = await loading.promise;
  const pages: string[] = [];
  for (let number = 1; number <= document.numPages; number++) {
    const { items } = await (await document.getPage(number)).getTextContent();
    pages.push(items.map((item) => ('str' in item ? item.str : '')).join(' '));
  }
  await loading.destroy();
  return pages;
}
