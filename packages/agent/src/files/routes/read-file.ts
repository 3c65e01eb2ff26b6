import { Readable } from 'node:stream';
import { type AgentApp, nameOf, routesOf } from '@berth/agent-core';
import { createError } from '@berth/contract';
import { readFileQuerySchema } from '@berth/contract/agent';
import { contentDisposition, serveShown } from '../serve-file.ts';
import { FILE_PATH, type FileRouteDeps, filePath, filePathParams } from './file-route.ts';

/** `GET /files/{path}`. Source: docs/contract/agent-api.md §5. */
export function registerReadFile(app: AgentApp, deps: FileRouteDeps): void {
  const route = routesOf(app, deps, 'Files');
  const errors = [
    'forbidden',
    'not_found',
    'precondition_failed',
    'unsupported_media_type',
    'range_not_satisfiable',
  ] as const;
  route(`GET ${FILE_PATH}`, 'readFile', {
    access: 'user',
    errors,
    summary: 'Download a file, or a folder as a zip',
    description:
      'Takes `Range`, `If-None-Match` and the other conditions. HTML, SVG and XML come as attachments. With `as`, the PDF of an office file, or the JSON `{count, slides}` with a `data:` address of each slide.',
    request: { params: filePathParams, query: readFileQuerySchema },
    responses: {
      200: { description: 'The bytes' },
      206: { description: 'A range of the bytes' },
      304: { description: 'Unchanged' },
    },
  }).handle(async (c) => {
    const { download: isDownload = false, preview: isPreview = false, as } = c.req.valid('query');
    const [owner, path] = [c.get('workspace').key, filePath(c)];
    const file = await deps.files.open(owner, path);
    if (file) return serveShown(c, file, { office: deps.office, as, owner, isDownload, isPreview });
    const zip = await deps.files.zip(owner, path);
    if (!zip) throw createError('not_found', `There is no "${path}".`);
    if (as !== undefined) throw createError('unsupported_media_type', `A folder cannot be shown as ${as}.`);
    const headers = {
      'Content-Type': 'application/zip',
      'Content-Disposition': contentDisposition('attachment', `${nameOf(path)}.zip`),
      'Cache-Control': 'no-cache',
    };
    const body = c.req.method === 'HEAD' ? null : (Readable.toWeb(Readable.from(zip)) as ReadableStream);
    return new Response(body, { headers });
  });
}
