import { type AgentApp, type AgentAppContext, defineRoute, parseFolderPath, pathAfter } from '@berth/agent-core';
import { storedFilesSchema } from '@berth/contract/agent';
import { jsonResponse, registerStream } from '@berth/http';
import { z } from '@hono/zod-openapi';
import { receiveBatch } from '../receive-batch.ts';
import { FILE_TAGS, type FileRouteDeps, filePathParams } from './file-route.ts';

const binary = z.string().openapi({ type: 'string', format: 'binary' });

/** `POST /files-batch` and `POST /files-batch/{path}`. Source: docs/contract/agent-api.md §5. */
export function registerWriteBatch(app: AgentApp, deps: FileRouteDeps): void {
  const errors = [
    'bad_request',
    'forbidden',
    'conflict',
    'payload_too_large',
    'unsupported_media_type',
    'insufficient_storage',
  ] as const;
  const describe = (path: string, operationId: string, params?: typeof filePathParams) =>
    defineRoute({ access: 'user', errors }, deps, {
      method: 'post',
      path,
      operationId,
      tags: FILE_TAGS,
      summary: 'Store many files in a folder, all or none',
      description:
        'A form with files, whose names may have folders in them; or one zip, which is unpacked: as the body, in the field `zip`, or as the only file of the form.',
      request: {
        ...(params ? { params } : {}),
        body: {
          content: {
            'multipart/form-data': { schema: z.object({ file: z.array(binary) }) },
            'application/zip': { schema: binary },
          },
        },
      },
      responses: { 200: jsonResponse(storedFilesSchema, 'All are stored, and durable') },
    });
  const answer = async (c: AgentAppContext) => {
    const folder = parseFolderPath(pathAfter(c, '/files-batch/'));
    const { files, clock, maxUploadBytes: maxBytes } = deps;
    await using batch = await receiveBatch(c, { files, clock, maxBytes, folder });
    await files.placeAll(c.get('workspace').key, batch.files);
    return c.json({ ok: true as const, files: batch.files.map((file) => file.path) }, 200);
  };
  registerStream(app, describe('/files-batch', 'writeFilesToRoot'), answer);
  registerStream(app, describe('/files-batch/{path{.*}}', 'writeFiles', filePathParams), answer);
}
