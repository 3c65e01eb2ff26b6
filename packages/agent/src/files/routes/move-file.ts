import { type AgentApp, defineRoute, parseWorkspacePath } from '@berth/agent-core';
import { moveFileSchema, okSchema } from '@berth/contract/agent';
import { jsonBody, jsonResponse } from '@berth/http';
import { FILE_PATH, FILE_TAGS, type FileRouteDeps, filePath, filePathParams } from './file-route.ts';

/** `PATCH /files/{path}`. Source: docs/contract/agent-api.md §5. */
export function registerMoveFile(app: AgentApp, deps: FileRouteDeps): void {
  const route = defineRoute({ access: 'user', errors: ['forbidden', 'not_found', 'conflict'] }, deps, {
    method: 'patch',
    path: FILE_PATH,
    operationId: 'moveFile',
    tags: FILE_TAGS,
    summary: 'Give a file or folder another path, where nothing is',
    request: { params: filePathParams, body: jsonBody(moveFileSchema) },
    responses: { 200: jsonResponse(okSchema, 'It is there now') },
  });
  app.openapi(route, async (c) => {
    const to = parseWorkspacePath(c.req.valid('json').to, ['body', 'to']);
    await deps.files.move(c.get('workspace').key, filePath(c), to);
    return c.json({ ok: true as const }, 200);
  });
}
