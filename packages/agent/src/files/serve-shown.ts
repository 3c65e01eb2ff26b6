import type { OpenFile } from '@berth/agent-core';
import type { OfficeFiles, ShowOptions } from '@berth/agent-render';
import type { AnyContext } from '@berth/http';
import { type ServeFileOptions, serveFile } from './serve-file.ts';

export interface ServeShownOptions extends ServeFileOptions, Pick<ShowOptions, 'owner'> {
  readonly office: OfficeFiles;
  /** As it is when undefined. */
  readonly as: ShowOptions['as'] | undefined;
}

/**
 * Answers with an open file as it is, or as something else; it is closed when the answer is over.
 * @throws as `serveFile` and `OfficeFiles.show`
 */
export async function serveShown(
  c: AnyContext,
  file: OpenFile,
  { as, owner, office, ...options }: ServeShownOptions,
): Promise<Response> {
  if (as === undefined) return serveFile(c, file, options);
  await using source = file;
  return serveFile(c, await office.show(source, { as, owner }), options);
}
