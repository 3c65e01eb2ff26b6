import type { OpenFile } from '@berth/agent-core';
import type { OwnerKey } from '@berth/agent-store';

/** The form in which an office file is shown. Source: docs/contract/agent-api.md §5. */
export type ShownAs = 'pdf' | 'slides';

/** Options of {@link OfficeFiles.show}. */
export interface ShowOptions {
  readonly as: ShownAs;
  /** Owner of the work; jobs per owner are limited. */
  readonly owner: OwnerKey;
}

/** Office files in forms that browsers can show. */
export interface OfficeFiles {
  /**
   * Returns the PDF of a document, or the JSON of its slides, as a file to serve. Rendered once per content.
   * @param file is read and stays open.
   * @throws `unsupported_media_type` with the reason; `unavailable` when the queue is full.
   */
  show(file: OpenFile, options: ShowOptions): Promise<OpenFile>;
  /** Aborts running jobs. Idempotent. */
  close(): Promise<void>;
}
