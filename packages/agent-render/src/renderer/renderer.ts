import type { RenderedFormat } from './office-format.ts';

/** A document to render as PDF. */
export interface RenderJob {
  /** Absolute path of the job's own folder. */
  readonly folder: string;
  /** Name of the document in the folder. Its content has been checked against the format. */
  readonly document: string;
  readonly format: RenderedFormat;
  /** Aborts the job and every process that it started. */
  readonly signal: AbortSignal;
}

/** The name of the PDF in a job's folder. */
export const RENDERED = 'document.pdf';

/** The maximum size of a PDF in bytes. */
export const MAX_PDF_BYTES = 128 * 2 ** 20;

/**
 * A renderer of office documents as PDF. Documents are untrusted: nothing that a document references is fetched, no
 * code in it runs, and its cost is bounded.
 */
export interface Renderer {
  /** Changes when the PDFs would look different; results cached under another version are not used. */
  readonly version: string;
  /** Renders the document to `RENDERED` in the job's folder. @throws RenderError; the signal's reason. */
  toPdf(job: RenderJob): Promise<void>;
  /** Closes the renderer. Idempotent. */
  close(): void;
}

/** The reason why there is no renderer, and what to do. */
export interface NoRenderer {
  readonly problem: string;
}

/** The failure to render a document; the message is for users. */
export class RenderError extends Error {
  /** The document is at fault: a retry doesn't help. */
  readonly isLasting: boolean;

  constructor(message: string, options: ErrorOptions & { readonly isLasting: boolean }) {
    super(message, options);
    this.name = 'RenderError';
    this.isLasting = options.isLasting;
  }
}

/** Rejects a document. @throws RenderError with the message, always. */
export function refuseDocument(message: string, cause?: unknown): never {
  throw new RenderError(message, { isLasting: true, cause });
}
