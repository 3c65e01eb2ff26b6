import type { OpenFile } from '@berth/agent-core';
import type { OwnerKey } from '@berth/agent-store';

/** Ways to show an office file. Source: docs/contract/agent-api.md §5. */
export type ShownAs = 'pdf' | 'slides';

export interface ShowOptions {
  readonly as: ShownAs;
  /** Whose work it is, of which there is only so much at a time. */
  readonly owner: OwnerKey;
}

/** Office files as what browsers show. */
export interface OfficeFiles {
  /**
   * The PDF of a document, or the JSON of its slides, as a file to be served; made once for the same content.
   * @param file is read and stays open.
   * @throws `unsupported_media_type` with what is wrong or missing; `unavailable` when too much is to be done.
   */
  show(file: OpenFile, options: ShowOptions): Promise<OpenFile>;
  /** Ends what is being made. Twice does nothing more. */
  close(): Promise<void>;
}
