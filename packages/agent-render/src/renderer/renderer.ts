import type { RenderedFormat } from './office-format.ts';

/** One document to be made a PDF of. */
export interface RenderJob {
  /** Absolute; of this job alone. */
  readonly folder: string;
  /** Name of the document in the folder; its bytes begin as its format does. */
  readonly document: string;
  readonly format: RenderedFormat;
  /** Ends the job, with all that it started. */
  readonly signal: AbortSignal;
}

/** Name of the PDF in the folder of a job. */
export const RENDERED = 'document.pdf';

/** Bytes of a PDF; one that has more is refused. */
export const MAX_PDF_BYTES = 128 * 2 ** 20;

/**
 * Makes PDFs of office documents, which come from people who aren't trusted: nothing that a document names is fetched,
 * nothing in it runs, and what it costs is bounded.
 */
export interface Renderer {
  /** Changes with what the PDFs look like: those that were kept under another one are not used again. */
  readonly version: string;
  /** Leaves `RENDERED` in the job's folder. @throws RenderError, and the signal's reason */
  toPdf(job: RenderJob): Promise<void>;
  /** Twice does nothing more. */
  close(): void;
}

/** Why there is no renderer, and what to do. */
export interface NoRenderer {
  readonly problem: string;
}

/** A document was not rendered; the message is for people. */
export class RenderError extends Error {
  /** It is the document: trying again does not help. */
  readonly isLasting: boolean;

  constructor(message: string, options: ErrorOptions & { readonly isLasting: boolean }) {
    super(message, options);
    this.name = 'RenderError';
    this.isLasting = options.isLasting;
  }
}

/** @throws RenderError that says what is wrong with the document. */
export function refuseDocument(message: string, cause?: unknown): never {
  throw new RenderError(message, { isLasting: true, cause });
}
