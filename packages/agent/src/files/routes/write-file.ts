import { type AgentApp, type AgentAppContext, routesOf } from '@berth/agent-core';
import { createError, createValidationError } from '@berth/contract';
import { storedPathSchema } from '@berth/contract/agent';
import { jsonResponse } from '@berth/http';
import { z } from '@hono/zod-openapi';
import type { StagedFile } from '../incoming.ts';
import { receiveForm } from '../receive-form.ts';
import { receiveRaw, tooLarge } from '../receive-raw.ts';
import { FILE_PATH, type FileRouteDeps, filePath, filePathParams } from './file-route.ts';

/** The form around the file. */
const FORM_BYTES = 2 ** 20;

const binary = z.string().openapi({ type: 'string', format: 'binary' });

/** `PUT /files/{path}`. Source: docs/contract/agent-api.md §5. */
export function registerWriteFile(app: AgentApp, deps: FileRouteDeps): void {
  const route = routesOf(app, deps, 'Files');
  const errors = [
    'bad_request',
    'forbidden',
    'conflict',
    'payload_too_large',
    'unsupported_media_type',
    'insufficient_storage',
  ] as const;
  route(`PUT ${FILE_PATH}`, 'writeFile', {
    access: 'user',
    errors,
    summary: 'Store a file, atomically replacing an existing one',
    description: 'The bytes as the body, or a form with the field `file`. Missing folders are created.',
    request: {
      params: filePathParams,
      body: {
        content: {
          'application/octet-stream': { schema: binary },
          'multipart/form-data': { schema: z.object({ file: binary }) },
        },
      },
    },
    responses: { 200: jsonResponse(storedPathSchema, 'The file is stored durably') },
  }).stream(async (c) => {
    const path = filePath(c);
    // RFC 9110, 14.4: a part of a file must not be stored as the whole.
    if (c.req.header('content-range') !== undefined) {
      throw createError('bad_request', 'Content-Range is not supported. Send the whole file.');
    }
    await using staged = await receive(c, deps);
    await deps.files.place(c.get('workspace').key, { path, staged });
    return c.json({ ok: true as const, path }, 200);
  });
}

function receive(c: AgentAppContext, deps: FileRouteDeps): Promise<StagedFile> {
  const { clock, files, maxUploadBytes: maxBytes } = deps;
  if (/^multipart\/form-data\b/i.test(c.req.header('content-type') ?? '')) return receiveFormFile(c, deps);
  return receiveRaw(c, { clock, maxBytes, take: (bytes, signal) => files.stage(bytes, { maxBytes, signal }) });
}

async function receiveFormFile(c: AgentAppContext, deps: FileRouteDeps): Promise<StagedFile> {
  const { clock, files, maxUploadBytes: maxBytes } = deps;
  if (Number(c.req.header('content-length') ?? 0) > maxBytes + FORM_BYTES) throw tooLarge(maxBytes);
  let staged: StagedFile | undefined;
  try {
    await receiveForm(c, {
      clock,
      maxBytes: maxBytes + FORM_BYTES,
      async onFile({ field, bytes }, signal) {
        if (field !== 'file') bytes.resume();
        else if (staged) throw createError('bad_request', 'The form has two files. Send them to /files-batch.');
        else staged = await files.stage(bytes, { maxBytes, signal });
      },
    });
  } catch (error) {
    await staged?.[Symbol.asyncDispose]();
    throw error;
  }
  if (staged) return staged;
  throw createValidationError([{ loc: ['body', 'file'], msg: 'Field required', type: 'missing' }]);
}
