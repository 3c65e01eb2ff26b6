import { open, readFile } from 'node:fs/promises';

/** Width of a picture in pixels; very tall pages are drawn smaller. */
const WIDTH = 1_280;
const MAX_HEIGHT = 2 * WIDTH;
const JPEG_QUALITY = 82;

/** The maximum number of slides. */
export const MAX_SLIDES = 300;
const MAX_ANSWER_BYTES = 64 * 2 ** 20;

/** The part of `@napi-rs/canvas` that is used here; pdfjs depends on it and has no types for it. */
interface Drawn {
  readonly canvas: HTMLCanvasElement & { encode(format: 'jpeg', quality: number): Promise<Buffer> };
}

/** The failure to draw pages; the message is for users. */
export class PagesError extends Error {}

/**
 * Draws the pages of a PDF as JPEG and writes the JSON of `as=slides` to a file.
 * @throws PagesError; the library's errors for a damaged PDF.
 */
export async function drawPages(pdf: string, target: string): Promise<void> {
  const { getDocument } = await import('pdfjs-dist/legacy/build/pdf.mjs');
  const loading = getDocument({
    data: new Uint8Array(await readFile(pdf)),
    // Fonts of this machine are not used. pdf.js 6 compiles nothing from a document.
    useSystemFonts: false,
    enableXfa: false,
    stopAtErrors: false,
    verbosity: 0,
    // Without a DOM, fonts can't be loaded; their glyphs are drawn.
    disableFontFace: true,
    maxImageSize: 64 * 2 ** 20,
  });
  const document = await loading.promise;
  const count = document.numPages;
  if (count > MAX_SLIDES) throw new PagesError(`It has ${count} slides, and ${MAX_SLIDES} are shown. Use as=pdf.`);
  const factory = document.canvasFactory as { create(width: number, height: number): Drawn; destroy(one: Drawn): void };
  await using file = await open(target, 'wx');
  let bytes = 0;
  const write = async (text: string) => {
    bytes += text.length;
    if (bytes > MAX_ANSWER_BYTES) {
      throw new PagesError(`Its slides are more than ${MAX_ANSWER_BYTES / 2 ** 20} MiB of images. Use as=pdf.`);
    }
    await file.write(text);
  };
  await write(`{"count":${count},"slides":[`);
  for (let number = 1; number <= count; number++) {
    const page = await document.getPage(number);
    const { width, height } = page.getViewport({ scale: 1 });
    const viewport = page.getViewport({ scale: Math.min(WIDTH / width, MAX_HEIGHT / height) });
    const drawn = factory.create(Math.ceil(viewport.width), Math.ceil(viewport.height));
    await page.render({ canvas: drawn.canvas, viewport }).promise;
    const picture = await drawn.canvas.encode('jpeg', JPEG_QUALITY);
    await write(`${number === 1 ? '' : ','}"data:image/jpeg;base64,${picture.toString('base64')}"`);
    factory.destroy(drawn);
    page.cleanup();
  }
  await write(']}');
  await loading.destroy();
}

/** Exit codes of the slides process when its output is a message for users. */
export const REFUSED = {
  /** The document is at fault. */
  lasting: 3,
  forNow: 4,
} as const;
