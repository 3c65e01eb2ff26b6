import type { OpenFile } from '@berth/agent-core';
import type { OfficeFiles, ShowOptions } from '@berth/agent-render';
import type { AnyContext } from '@berth/http';
import { type ServeFileOptions, serveFile } from './serve-file.ts';

export interface ServeShownOptions extends ServeFileOptions, Pick<ShowOptions, 'owner'> {
  readonly office: OfficeFiles;
  /** The format to show the file in; the file itself when undefined. */
  readonly as: ShowOptions['as'] | undefined;
}

/**
 * Returns a response with an open file, as it is or rendered; the file is closed when the response ends.
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
