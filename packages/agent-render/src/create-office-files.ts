import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { OpenFile, WorkspacePath } from '@berth/agent-core';
import type { OwnerKey } from '@berth/agent-store';
import { createError } from '@berth/contract';
import { type Clock, describeError, type Logger } from '@berth/kit';
import { bookToHtml } from './epub/book-to-html.ts';
import { createRenderJobs } from './jobs/create-render-jobs.ts';
import { sweepJobFolders } from './jobs/job-folder.ts';
import { createRenderCache } from './jobs/render-cache.ts';
import { checkDocument } from './renderer/check-document.ts';
import { isDeck, type OfficeFormat, officeFormat } from './renderer/office-format.ts';
import { type NoRenderer, RENDERED, RenderError, type Renderer, refuseDocument } from './renderer/renderer.ts';
import { makeSlides } from './slides/make-slides.ts';

interface OfficeFilesOptions {
  /** Absolute path; results are cached in its `.rendered` subfolder. */
  readonly dataFolder: string;
  /** Opens the renderer, once, at the first file to show. */
  open(): Promise<Renderer | NoRenderer>;
  /** Absolute path of the program that draws slides: the export `draw-slides`. */
  readonly slidesProgram: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Version of the cached results. Increase it when the same PDF yields another result. */
const VERSION = 1;
const MAX_DOCUMENT_BYTES = 64 * 2 ** 20;
const SLIDES = 'slides.json';

interface Asked {
  readonly file: OpenFile;
  readonly format: OfficeFormat;
  /** SHA-256 of the file, in hexadecimal digits. */
  readonly hash: string;
}

/** Office files in forms that browsers can show. */
export type OfficeFiles = ReturnType<typeof createOfficeFiles>;

/** Creates the rendering of office files. */
export function createOfficeFiles(options: OfficeFilesOptions) {
  const { dataFolder, open, slidesProgram, clock, logger } = options;
  const cache = createRenderCache({ folder: path.join(dataFolder, '.rendered'), clock });
  const jobs = createRenderJobs(cache, clock);
  let opening: Promise<Renderer | NoRenderer> | undefined;
  const renderer = async () => {
    opening ??= (async () => {
      await sweepJobFolders(clock);
      return open();
    })().catch((error: unknown) => {
      opening = undefined;
      throw error;
    });
    const found = await opening;
    return 'problem' in found ? refuseDocument(`${found.problem}.`) : found;
  };

  const toPdf = async ({ file, format, hash }: Asked, folder: string, signal: AbortSignal) => {
    const { toPdf: render } = await renderer();
    const document = `document.${format}`;
    const target = path.join(folder, document);
    // The cache key is this hash, so the PDF must come from exactly this content.
    if ((await copy(file, target)) !== hash) {
      throw createError('unavailable', 'The file has changed. Try again.');
    }
    await checkDocument(target, format);
    if (format !== 'epub') return render({ folder, document, format, signal });
    await writeFile(path.join(folder, 'document.html'), await bookToHtml(target));
    return render({ folder, document: 'document.html', format: 'html', signal });
  };

  const openMade = async (key: string, name: string) => {
    const made = await cache.open(key, name as WorkspacePath);
    if (made) return made;
    // Another instance may have removed it to free space.
    throw createError('unavailable', 'The rendered file is no longer cached. Try again.');
  };

  const show = async (file: OpenFile, { as, owner }: ShowOptions): Promise<OpenFile> => {
    const { version } = await renderer();
    const { name, size } = file.entry;
    const format = officeFormat(name);
    if (!format)
      refuseDocument(`Only doc, docx, odt, rtf, ppt, pptx, odp, xls, xlsx, ods and epub are shown as ${as}.`);
    if (as === 'slides' && !isDeck(format)) {
      refuseDocument('Only presentations have slides. Use as=pdf.');
    }
    if (size === 0) refuseDocument('It is empty.');
    if (size > MAX_DOCUMENT_BYTES) refuseDocument(`The file has more than ${MAX_DOCUMENT_BYTES / 2 ** 20} MiB.`);
    const hash = await hashOf(file);
    const id = createHash('sha256')
      .update(JSON.stringify([VERSION, version, format, hash]))
      .digest('hex');
    const [pdf, slides] = [`${id}.pdf`, `${id}.json`];
    const stem = path.parse(name).name;
    const shown = as === 'pdf' ? { key: pdf, name: `${stem}.pdf` } : { key: slides, name: `${stem}.json` };
    const kept = await cache.open(shown.key, shown.name as WorkspacePath);
    if (kept) return kept;
    const known = await cache.open(pdf, RENDERED as WorkspacePath);
    await known?.[Symbol.asyncDispose]();
    if (!known) {
      const make = (folder: string, signal: AbortSignal) => toPdf({ file, format, hash }, folder, signal);
      await jobs.run({ key: pdf, owner, name: RENDERED, make });
    }
    if (as === 'slides') {
      const make = async (folder: string, signal: AbortSignal) => {
        await using source = await openMade(pdf, RENDERED);
        const copied = path.join(folder, RENDERED);
        await writeFile(copied, source.read());
        await makeSlides({ program: slidesProgram, folder, pdf: copied, target: path.join(folder, SLIDES), signal });
      };
      await jobs.run({ key: slides, owner, name: SLIDES, make });
    }
    return openMade(shown.key, shown.name);
  };

  return {
    /**
     * Returns the PDF of a document, or the JSON of its slides, as a file to serve. Rendered once per content.
     * @param file is read and stays open.
     * @throws `unsupported_media_type` with the reason; `unavailable` when the queue is full.
     */
    async show(file: OpenFile, options: ShowOptions): Promise<OpenFile> {
      try {
        return await show(file, options);
      } catch (error) {
        if (!(error instanceof RenderError)) throw error;
        const { as } = options;
        if (error.cause !== undefined) logger.warn({ as, error: describeError(error) }, 'a file was not rendered');
        const message = `"${file.entry.name}" cannot be shown as ${as}. ${error.message}`;
        throw createError('unsupported_media_type', message, { cause: error });
      }
    },
    /** Aborts running jobs. Idempotent. */
    async close(): Promise<void> {
      await jobs.close();
      const found = await opening?.catch(() => undefined);
      if (found && !('problem' in found)) found.close();
    },
  };
}

async function hashOf(file: OpenFile): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of file.read() as AsyncIterable<Buffer>) hash.update(chunk);
  return hash.digest('hex');
}

/** Copies a file and returns its SHA-256 in hexadecimal. */
async function copy(file: OpenFile, target: string): Promise<string> {
  const hash = createHash('sha256');
  const hashed = async function* (chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      hash.update(chunk);
      yield chunk;
    }
  };
  await pipeline(file.read(), hashed, createWriteStream(target, { flags: 'wx' }));
  return hash.digest('hex');
}

/** The form in which an office file is shown. Source: docs/contract/agent-api.md §5. */
type ShownAs = 'pdf' | 'slides';

/** Options of {@link OfficeFiles.show}. */
export interface ShowOptions {
  readonly as: ShownAs;
  /** Owner of the work; jobs per owner are limited. */
  readonly owner: OwnerKey;
}
