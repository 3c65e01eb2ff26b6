import { type AgentApp, parseFolderPath, pathAfter, routesOf } from '@berth/agent-core';
import { storedFilesSchema } from '@berth/contract/agent';
import { jsonResponse } from '@berth/http';
import { z } from '@hono/zod-openapi';
import { receiveBatch } from '../receive-batch.ts';
import { type FileRouteDeps, filePathParams } from './file-route.ts';

const binary = z.string().openapi({ type: 'string', format: 'binary' });

/** `POST /files-batch` and `POST /files-batch/{path}`. Source: docs/contract/agent-api.md §5. */
export function registerWriteBatch(app: AgentApp, deps: FileRouteDeps): void {
  const route = routesOf(app, deps, 'Files');
  const errors = [
    'bad_request',
    'forbidden',
    'conflict',
    'payload_too_large',
    'unsupported_media_type',
    'insufficient_storage',
  ] as const;
  const register = (
    target: 'POST /files-batch' | 'POST /files-batch/{path{.*}}',
    operationId: string,
    params?: object,
  ) =>
    route(target, operationId, {
      access: 'user',
      errors,
      summary: 'Store many files in a folder atomically',
      description:
        'A form with files, whose names may have folders in them; or one zip, which is unpacked: as the body, in the field `zip`, or as the only file of the form.',
      request: {
        ...params,
        body: {
          content: {
            'multipart/form-data': { schema: z.object({ file: z.array(binary) }) },
            'application/zip': { schema: binary },
          },
        },
      },
      responses: { 200: jsonResponse(storedFilesSchema, 'All files are stored durably') },
    }).stream(async (c) => {
      const folder = parseFolderPath(pathAfter(c, '/files-batch/'));
      const { files, clock, maxUploadBytes: maxBytes } = deps;
      await using batch = await receiveBatch(c, { files, clock, maxBytes, folder });
      await files.placeAll(c.get('workspace').key, batch.files);
      const paths = batch.files.map((file) => file.path);
      return c.json({ ok: true as const, files: paths.length, paths }, 200);
    });
  register('POST /files-batch', 'writeFilesToRoot');
  register('POST /files-batch/{path{.*}}', 'writeFiles', { params: filePathParams });
}
