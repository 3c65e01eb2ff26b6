import { type AgentApp, parseWorkspacePath, routesOf } from '@berth/agent-core';
import { moveFileSchema, okSchema } from '@berth/contract/agent';
import { jsonBody, jsonResponse } from '@berth/http';
import { FILE_PATH, type FileRouteDeps, filePath, filePathParams } from './file-route.ts';

/** `PATCH /files/{path}`. Source: docs/contract/agent-api.md §5. */
export function registerMoveFile(app: AgentApp, deps: FileRouteDeps): void {
  const route = routesOf(app, deps, 'Files');
  route(`PATCH ${FILE_PATH}`, 'moveFile', {
    access: 'user',
    errors: ['forbidden', 'not_found', 'conflict'],
    summary: 'Move a file or folder to a free path',
    request: { params: filePathParams, body: jsonBody(moveFileSchema) },
    responses: { 200: jsonResponse(okSchema, 'Moved') },
  }).handle(async (c) => {
    const to = parseWorkspacePath(c.req.valid('json').to, ['body', 'to']);
    await deps.files.move(c.get('workspace').key, filePath(c), to);
    return c.json({ ok: true as const }, 200);
  });
}
